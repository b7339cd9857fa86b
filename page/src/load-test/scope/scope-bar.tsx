import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { count, lasted } from "../../format/numbers.ts";
import { afterStart } from "../../format/times.ts";
import type { Facet } from "../../api/facets.ts";
import { FacetChips } from "../../facets/facet-chips.tsx";
import { HoldingContext } from "./holding.ts";
import { FilterField } from "../../parts/filter-field.tsx";
import { Words } from "../../parts/words.tsx";
import type { Clock } from "../clock.ts";
import type { Live } from "../live.tsx";
import { Off } from "../../parts/off-button.tsx";
import { WHOLE_TEST } from "./range.ts";
import { type RangeChipProps, RangeChip } from "./range-chip.tsx";
import { Popup } from "../../parts/popup.tsx";
import type { LoadTestPart } from "../part.ts";

export interface ScopeBarProps extends Pick<LoadTestPart, "scope" | "range" | "whole"> {
  /** Length in seconds of the range that follows the newest data. */
  readonly following: number | undefined;
  readonly live: Live;
  readonly rangeText: string;
  readonly facets: readonly Facet[] | undefined;
  /** Endpoints that match the filter, or rows if they are split, as far as known, and all endpoints. */
  readonly endpoints: number | undefined;
  readonly allEndpoints: number;
  /** Short name of the failure kind marked in the charts. */
  readonly marked: string | undefined;
  readonly points: PointsButtonProps;
  readonly clock: Clock;
  readonly zone: string;
  /** Whether requests have times; else nothing is said of time. */
  readonly hasTimes: boolean;
}

/** The one place that states range, filter and selection. */
export function ScopeBar(props: ScopeBarProps) {
  const { scope, range, clock, live, allEndpoints, hasTimes } = props;
  const { wholeName } = useContext(HoldingContext);
  const isNarrow = useIsNarrow();
  const bar = useRef<HTMLDivElement>(null);
  useHeightProperty(bar);
  return (
    <div ref={bar} class="scope">
      {hasTimes ? (
        <RangeChip
          {...rangeTexts(props, wholeName)}
          isSet={scope.from !== undefined || scope.until !== undefined}
          isGrowing={live.isGrowing}
          range={range}
          times={{ clock, whole: props.whole }}
        />
      ) : null}
      {live.isGrowing && props.following === undefined ? (
        <button type="button" onClick={follow}>
          Follow
        </button>
      ) : null}
      <FilterField
        text={scope.filter}
        placeholder={
          isNarrow
            ? `Filter ${count(allEndpoints)} endpoint${allEndpoints === 1 ? "" : "s"}`
            : "Filter endpoints"
        }
      />
      <FacetChips {...scope} facets={props.facets} />
      <span class="hint endpoint-count">{endpointsText(props)}</span>
      {scope.hashes.length === 0 ? null : <Selected endpoints={scope.hashes.length} />}
      {props.marked === undefined ? null : (
        <span class="chip set">
          <b>{`${props.marked} marked`}</b>
          <Off label="Clear the mark" onClick={() => changeParameters({ failure: undefined })} />
        </span>
      )}
      <PointsButton {...props.points} />
      {hasTimes ? <ClockSwitch clock={clock} zone={props.zone} /> : null}
    </div>
  );
}

/** Publishes the height of the bar to style sheets: table headers stick below it. */
function useHeightProperty(bar: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    if (bar.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
      document.documentElement.style.setProperty("--scope-height", `${height}px`);
    });
    observer.observe(bar.current);
    return () => observer.disconnect();
  }, []);
}

const FOLLOWED_SECONDS = "300";

function follow(): void {
  changeParameters({ ...WHOLE_TEST, last: FOLLOWED_SECONDS });
}

/** The shown range: name and times, or times and share of the whole. */
function rangeTexts(
  props: ScopeBarProps,
  wholeName: string,
): Pick<RangeChipProps, "name" | "text"> {
  const { scope, following, range, whole, rangeText } = props;
  if (following !== undefined) {
    return { name: `Last ${afterStart(following)}`, text: `${rangeText}${followingText(props)}` };
  }
  if (scope.from === undefined && scope.until === undefined) {
    return { name: wholeName, text: rangeText };
  }
  const [part, all] = [range, whole].map(({ from, until }) => lasted(until - from));
  return { name: rangeText, text: `${part} of ${all}` };
}

function followingText({ following, live }: ScopeBarProps): string {
  if (following === undefined || !live.isGrowing) return "";
  return live.isPaused ? ", paused" : ", following";
}

/** `46 of 148`, or only `148 endpoints`. */
function endpointsText({ endpoints, allEndpoints, scope: { by } }: ScopeBarProps): string {
  if (endpoints === undefined) return "";
  if (by !== undefined) return `${count(endpoints)} row${endpoints === 1 ? "" : "s"} by ${by}`;
  const all = `${count(allEndpoints)} endpoint${allEndpoints === 1 ? "" : "s"}`;
  return endpoints === allEndpoints ? all : `${count(endpoints)} of ${all}`;
}

function Selected({ endpoints }: { readonly endpoints: number }) {
  return (
    <span class="chip set">
      <b>{`${endpoints} endpoint${endpoints === 1 ? "" : "s"} selected`}</b>
      <Off label="Select none" onClick={() => changeParameters({ endpoints: undefined })} />
    </span>
  );
}

function ClockSwitch({ clock, zone }: { readonly clock: Clock; readonly zone: string }) {
  const all: readonly (readonly [Clock, string])[] = [
    ["local", zone],
    ["utc", "UTC"],
    ["start", "since start"],
  ];
  // Users in UTC have one choice fewer.
  const choices = all.filter(([choice, text]) => choice !== "utc" || text !== zone);
  return (
    <span class="in-menu">
      <Words
        label="Times"
        choices={choices}
        chosen={clock}
        onChoose={(choice) => changeParameters({ clock: choice === "local" ? undefined : choice })}
      />
    </span>
  );
}

interface PointsButtonProps {
  /** Point lengths in words; empty if nothing is drawn. */
  readonly text: string;
  /** Point lengths to choose from, in seconds. */
  readonly choices: readonly number[];
  /** `undefined`: as fits the charts and the number of requests. */
  readonly chosen: number | undefined;
}

const AUTOMATIC =
  "Counts at the finest resolution; percentiles with at least 100 requests per point";

/** Shows the length of points and lets the user choose it. */
function PointsButton({ text, choices, chosen }: PointsButtonProps) {
  return (
    <span class="spread in-menu">
      {text === "" ? null : (
        <Popup label={`Resolution: ${text}`} button={text} buttonClass="quiet" side="right">
          {(close) => (
            <div class="points-choice" role="group" aria-label="Resolution">
              {[undefined, ...choices].map((seconds) => (
                <button
                  key={seconds ?? 0}
                  type="button"
                  class="quiet"
                  aria-pressed={seconds === chosen}
                  title={seconds === undefined ? AUTOMATIC : undefined}
                  onClick={() => {
                    changeParameters({ resolution: seconds?.toString() }, "replace");
                    close();
                  }}
                >
                  {seconds === undefined ? "automatic" : afterStart(seconds)}
                </button>
              ))}
            </div>
          )}
        </Popup>
      )}
    </span>
  );
}
