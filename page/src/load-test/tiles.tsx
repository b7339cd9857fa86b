import { changeParameters } from "../address/use-address.ts";
import type { Outcome, OverallFigures } from "../api/figures.ts";
import { bytes, count, duration, type Quantity, rate, share } from "../format/numbers.ts";
import { wholeText } from "../format/whole.ts";
import { REPORTED, type SortColumn } from "./endpoints/endpoint-columns.ts";
import { sortingParameters } from "./endpoints/sort-endpoints.ts";
import { Quality } from "./quality.tsx";

interface TilesProps {
  readonly figures: OverallFigures | undefined;
  /** Which requests count; `undefined`: all. */
  readonly outcome: Outcome | undefined;
}

/** Overall figures of the scope, and their limits below. */
export function Tiles({ figures, outcome }: TilesProps) {
  return (
    <>
      <Figures figures={figures} outcome={outcome} />
      <Quality sentences={figures?.quality.map(({ message }) => message) ?? []} />
    </>
  );
}

/** All are merged from distributions, never averages of averages. */
function Figures({ figures, outcome }: TilesProps) {
  if (figures === undefined) return <dl class="tiles figures" aria-hidden="true" />;
  if (figures.count === 0) return <NoFigures />;
  const { count: requests, errCount, errRate } = figures;
  const failed = share(errRate);
  const whole = wholeText(figures);
  const titled = (title: string) => (whole === "" ? title : `${title}; ${whole}`);
  const most = (percent: number) =>
    figures.percentileOrigin === "unknown"
      ? "Not recorded: only averages are available"
      : titled(
          `${percent} % of ${count(requests)} requests took at most this long` +
            (figures.percentileOrigin === "reported" ? `; ${REPORTED}` : ""),
        );
  return (
    <dl class="tiles figures">
      <Tile
        name="requests"
        title={titled(
          outcome === undefined ? "Requests, including failed ones" : `Requests that ${outcome}`,
        )}
        {...plain(count(requests))}
        onOpen={() => showEndpointsBy("count")}
      />
      <Tile
        name="failed"
        kind={errCount > 0 ? "failing" : "none"}
        title={
          outcome === "passed"
            ? "Only passed requests count"
            : titled("Failed requests and their share")
        }
        digits={outcome === "passed" ? "–" : count(errCount)}
        unit={errCount === 0 ? "" : `${failed.digits} ${failed.unit}`}
        {...(errCount === 0 ? {} : { onOpen: showFailures })}
      />
      <Tile
        name="throughput"
        title={titled("Requests per second")}
        digits={rate(figures.reqPerSec)}
        unit="/s"
        onOpen={() => showEndpointsBy("count")}
      />
      <Tile
        name="average"
        title={titled("Average response time")}
        {...duration(figures.avgLoadTime)}
        onOpen={() => showEndpointsBy("avgLoadTime")}
      />
      {PERCENTILES.map(([name, percent]) => (
        <Tile
          key={name}
          name={name}
          title={most(percent)}
          {...duration(figures[name])}
          onOpen={() => showEndpointsBy(name)}
        />
      ))}
      <Tile
        name="max"
        title={titled("Longest response time")}
        {...duration(figures.maxLoadTime)}
        onOpen={() => showEndpointsBy("maxLoadTime")}
      />
      <Tile
        name="received"
        title={
          figures.receivedBytes === null
            ? "Not recorded"
            : titled(`${count(figures.receivedBytes)} bytes`)
        }
        {...bytes(figures.receivedBytes)}
        onOpen={() => showEndpointsBy("receivedBytesPerSec")}
      />
    </dl>
  );
}

const PERCENTILES = [
  ["p50", 50],
  ["p95", 95],
  ["p99", 99],
] as const;

/** Sorts the endpoints by a tile's figure and scrolls to them. */
function showEndpointsBy(column: SortColumn): void {
  changeParameters(sortingParameters({ column, isAscending: false }), "replace");
  document.querySelector("#endpoints")?.scrollIntoView({ block: "nearest" });
  document.querySelector<HTMLElement>(`.endpoints thead .${column} button`)?.focus();
}

/** Scrolls to the failures table and moves the focus there. */
function showFailures(): void {
  const table = document.querySelector<HTMLElement>('[role="region"][aria-labelledby="failures"]');
  document.querySelector("#failures")?.scrollIntoView();
  table?.focus({ preventScroll: true });
}

const NAMES = [
  "requests",
  "failed",
  "throughput",
  "average",
  "p50",
  "p95",
  "p99",
  "max",
  "received",
];

/** Tiles without any request: nothing was measured. */
function NoFigures() {
  return (
    <dl class="tiles figures">
      {NAMES.map((name) => (
        <Tile key={name} name={name} title="No requests" {...plain("–")} />
      ))}
    </dl>
  );
}

interface TileProps extends Quantity {
  readonly name: string;
  readonly title: string;
  /** Class for style sheets. */
  readonly kind?: string;
  /** Leads to what the figure consists of. */
  readonly onOpen?: () => void;
}

function Tile({ name, title, kind = "", digits, unit, onOpen }: TileProps) {
  const figure = (
    <>
      {digits}
      {unit === "" ? null : <small>{` ${unit}`}</small>}
    </>
  );
  return (
    <div class={`${name} ${kind}`} title={title}>
      <dt>{name}</dt>
      <dd>
        {onOpen === undefined ? (
          figure
        ) : (
          <button type="button" onClick={onOpen}>
            {figure}
          </button>
        )}
      </dd>
    </div>
  );
}

function plain(digits: string): Quantity {
  return { digits, unit: "" };
}
