import { useState } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import { useAddress, changeParameters } from "../address/use-address.ts";
import { type ApiError, addressOf } from "../api/client.ts";
import { askFacets, isUnknownFacet } from "../api/facets.ts";
import { type Trend, type TrendParameters, askTrend } from "../api/trend.ts";
import { useOutage } from "../api/outage.ts";
import { useAnswer } from "../api/use-answer.ts";
import { moveFocus } from "../parts/move-focus.ts";
import { Problem } from "../shell/problem.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { useTitle } from "../shell/use-title.ts";
import { ChangesSection } from "./changes-section.tsx";
import { TrendCharts } from "./trend-charts.tsx";
import { TrendEndpoints } from "./trend-endpoints.tsx";
import { subjectOf } from "./trend-lines.ts";
import { TrendScope } from "./trend-scope.tsx";
import { useValueTrends, type ValueTrend } from "./use-value-trends.ts";
import { trendRequest } from "./trend-request.ts";
import { count } from "../format/numbers.ts";
import { CopyCurl } from "../parts/copy-button.tsx";
import { spanText } from "./trend-times.ts";

interface TrendViewProps {
  /** Name of the load tests; `undefined` if the URL has only a tag. */
  readonly series: string | undefined;
}

/** The history of a name or tag: which load test brought a change, and all figures. */
export function TrendView({ series }: TrendViewProps) {
  const { parameters } = useAddress();
  const request = trendRequest(series, parameters);
  const { trend, error, askAgain } = useTrend(request);
  const latest = trend?.loadTests.at(-1)?.id ?? "";
  const { value: facets } = useAnswer("facets", latest, (signal) => askFacets(latest, signal));
  const values = useValueTrends(request, trend && facets);
  useTitle(`History of ${[series, request.tag].filter(isGiven).join(", ")} · Tachograph`);
  return (
    <main class="trend">
      <TrendHead series={series} tag={request.tag} trend={trend} request={request} />
      {isNamed(request) ? (
        <TrendScope trend={trend} facets={facets} parameters={parameters} />
      ) : (
        <Unnamed />
      )}
      {error === undefined ? null : <Refusal error={error} request={request} />}
      {isNamed(request) && trend === undefined && error === undefined ? (
        <p class="hint late">Loading runs…</p>
      ) : null}
      {trend === undefined ? null : (
        <Loaded {...{ series, trend, values, parameters }} onPinned={askAgain} />
      )}
    </main>
  );
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined;
}

function isNamed({ name, tag }: TrendParameters): boolean {
  return isGiven(name) || isGiven(tag);
}

/**
 * Requests a series. Never shows another series meanwhile, nor another part of it during an outage.
 */
function useTrend(request: TrendParameters) {
  const [version, setVersion] = useState(0);
  const wanted = isNamed(request) ? JSON.stringify(request) : "";
  const asked = useAnswer("trend", wanted, (signal) => askTrend(request, signal), { version });
  const { value, error, question = wanted } = asked;
  const isOut = useOutage() !== undefined;
  const isShown =
    error === undefined && (isOut ? question === wanted : isSameSeries(question, wanted));
  return {
    trend: isShown ? value : undefined,
    error,
    askAgain: () => setVersion(version + 1),
  };
}

function isSameSeries(one: string, other: string): boolean {
  if (one === other) return true;
  if (one === "" || other === "") return false;
  const [first, second] = [one, other].map((text) => JSON.parse(text) as Record<string, unknown>);
  return first?.["name"] === second?.["name"] && first?.["tag"] === second?.["tag"];
}

function Unnamed() {
  return <p class="hint">A history shows the runs of one name: choose one from the list.</p>;
}

interface RefusalProps {
  readonly error: ApiError;
  readonly request: TrendParameters;
}

function Refusal({ error, request: { name, tag } }: RefusalProps) {
  const isMissing = error.status === 404 && !isUnknownFacet(error);
  const which = [name && `named “${name}”`, tag && `tagged “${tag}”`].filter(isGiven).join(" and ");
  return (
    <Problem title={isMissing ? `There are no runs ${which}` : "Couldn't load the history"}>
      {isMissing ? (
        <a class="button" href={linkTo({ name: "list" })}>
          All runs
        </a>
      ) : (
        <p>{error.message}</p>
      )}
    </Problem>
  );
}

interface LoadedProps extends TrendViewProps {
  readonly values: readonly ValueTrend[] | undefined;
  readonly trend: Trend;
  readonly parameters: ReadonlyMap<string, string>;
  readonly onPinned: () => void;
}

function Loaded({ series, trend, values, parameters, onPinned }: LoadedProps) {
  const subject = subjectOf(trend, parameters.get("endpoint"));
  const at = parameters.get("at");
  const chosen = trend.loadTests.findIndex(({ id }) => id === at);
  const shared = { series, trend, subject, chosen: chosen < 0 ? undefined : chosen };
  useKeys({
    ArrowDown: () => moveFocus(1, ".row-name"),
    ArrowUp: () => moveFocus(-1, ".row-name"),
    Escape: () => takeOff(parameters),
  });
  return (
    <>
      <ChangesSection {...shared} areAllShown={parameters.get("changes") === "all"} />
      <TrendCharts {...shared} {...{ values, parameters, onPinned }} />
      <TrendEndpoints {...shared} />
    </>
  );
}

/** Filters of the view, innermost first. */
const NARROWING: readonly (readonly string[])[] = [
  ["endpoint"],
  ["filter"],
  ["where"],
  ["by"],
  ["since", "upTo"],
];

/** Removes one filter; `true` if there is none. */
function takeOff(parameters: ReadonlyMap<string, string>): boolean {
  const names = NARROWING.find((each) => each.some((name) => parameters.has(name)));
  if (names === undefined) return true;
  changeParameters(Object.fromEntries(names.map((name) => [name, undefined])));
  return false;
}

interface TrendHeadProps {
  readonly series: string | undefined;
  readonly tag: string | undefined;
  readonly trend: Trend | undefined;
  readonly request: TrendParameters;
}

/** The name of the series and its number of load tests. */
function TrendHead({ series, tag, trend, request }: TrendHeadProps) {
  return (
    <div class="load-test-head">
      <div>
        <h1>
          <span class="plain">
            {series === undefined && tag !== undefined ? "History of tag " : "History of "}
          </span>
          {series ?? tag ?? "runs"}
        </h1>
        <p class="facts">{trend === undefined ? "\u{a0}" : factsOf(trend, series, tag)}</p>
      </div>
      <div class="actions in-menu">
        <CopyCurl url={addressOf("getTrend", request)} />
      </div>
    </div>
  );
}

function factsOf(
  { loadTests, leftOut }: Trend,
  series: string | undefined,
  tag: string | undefined,
): string {
  const number = `${count(loadTests.length)} run${loadTests.length === 1 ? "" : "s"}`;
  const facts = [
    tag === undefined || series === undefined ? "" : `tag ${tag}`,
    leftOut.loadTests === 0 ? number : `the last ${number}, ${count(leftOut.loadTests)} before`,
    spanText(loadTests),
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}
