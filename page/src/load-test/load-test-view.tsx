import { useMemo } from "preact/hooks";
import { useAddress } from "../address/use-address.ts";
import type { ApiError } from "../api/api-error.ts";
import { type RowsRequest, type Scope, type Figures, secondsUrlOf } from "../api/figures.ts";
import { isUnknownFacet } from "../api/facets.ts";
import type { RunningLimit } from "../api/live.ts";
import type { LoadTestDetail } from "../api/load-tests.ts";
import { Refused } from "../shell/problem.tsx";
import { clockOf, clockOrigin, timeFormat } from "./clock.ts";
import type { Live } from "./live.tsx";
import { followed, followedSeconds, isEverything, scopeOf } from "./scope/scope.ts";
import { isLogarithmicIn } from "./charts/scale.ts";
import { chosenSecondsOf } from "./charts/resolutions.ts";
import { LoadTestHead } from "./load-test-head.tsx";
import { Missing } from "./missing.tsx";
import { MeasuresAlone } from "./measures/measures-alone.tsx";
import { type Range, wholeRange, withSilence } from "./scope/range.ts";
import { Shown } from "./scope/shown.tsx";
import { rowsIn } from "./endpoints/listed-part.tsx";
import { servedColumn } from "./endpoints/endpoint-columns.ts";
import { sortingOf } from "./endpoints/sort-endpoints.ts";
import { useSettled } from "./scope/use-settled.ts";
import { useVerdict } from "./thresholds/use-verdict.ts";
import { useLoadTest } from "./use-load-test.ts";
import { useScopeKeys } from "./scope/use-scope-keys.ts";
import { useScopeAnswers } from "./scope/use-scope-answers.ts";
import { count, rate } from "../format/numbers.ts";
import { useTitle } from "../shell/use-title.ts";

export function LoadTestView({ id }: { readonly id: string }) {
  const address = useAddress();
  const { loadTest, error, version, live, limits, askAgain } = useLoadTest(id);
  const scope = useMemo(() => scopeOf(id, address), [id, address]);
  if (error?.status === 404) return <Missing id={id} />;
  if (loadTest === undefined) {
    return (
      <main>
        <Refused title="Couldn't load the run" error={error} />
      </main>
    );
  }
  return (
    <Loaded
      loadTest={loadTest}
      scope={scope}
      version={version}
      parameters={address.parameters}
      live={live}
      limits={limits}
      refusal={error}
      onChanged={askAgain}
    />
  );
}

interface LoadedProps {
  readonly loadTest: LoadTestDetail;
  readonly scope: Scope;
  readonly version: number;
  readonly parameters: ReadonlyMap<string, string>;
  readonly live: Live;
  readonly limits: readonly RunningLimit[];
  /** Why refreshing the load test failed. */
  readonly refusal: ApiError | undefined;
  readonly onChanged: () => void;
}

function Loaded(props: LoadedProps) {
  const { loadTest, scope: asked, version, parameters, live, refusal } = props;
  const whole = wholeRange(loadTest);
  const following = followedSeconds({ parameters });
  const scope = followed(asked, following, whole);
  const range = { from: scope.from ?? whole.from, until: scope.until ?? whole.until };
  const isHeatmap = parameters.get("view") === "heatmap";
  const expectedRequests = knownRequests(loadTest, scope);
  const rows = rowsOf(loadTest, scope, parameters);
  const chosenSeconds = chosenSecondsOf(parameters);
  const isIncident = parameters.has("incident");
  const shown = { scope, range, version, isHeatmap, isIncident };
  const request = { ...shown, chosenSeconds, expectedRequests, rows };
  // Each keystroke in a filter would read very many endpoints again.
  const answers = useScopeAnswers(useSettled(request));
  const isLogarithmic = isLogarithmicIn(parameters, answers.sheet, range);
  useScopeKeys({ scope, range, whole, parameters, isLogarithmic });
  const {
    verdict,
    isSoFar,
    refusal: verdictRefusal,
    onEdited,
  } = useVerdict({
    id: loadTest.id,
    version,
    isGrowing: live.isGrowing,
  });
  const clock = clockOf(parameters.get("clock"));
  const formatTime = useMemo(() => timeFormat(clock, whole), [clock, whole.from, whole.until]);
  useLoadTestTitle(
    loadTest.name,
    isRunning(live) && scope.outcome === undefined ? answers.overall : undefined,
  );
  const { problem } = answers;
  if (problem?.status === 404 && !isUnknownFacet(problem)) return <Missing id={loadTest.id} />;
  return (
    <main class={stateOf(live, answers.behind)}>
      <LoadTestHead
        loadTest={loadTest}
        version={version}
        clock={clock}
        formatTime={formatTime}
        secondsUrl={secondsUrlOf(scope)}
        scope={scope}
        listed={answers.summary}
        resolution={answers.sheet?.resolution ?? 1}
        live={live}
        verdict={verdict}
        isVerdictSoFar={isSoFar}
        verdictRefusal={verdictRefusal}
        limits={props.limits}
        onEdited={onEdited}
        onChanged={props.onChanged}
      />
      <Refused error={refusal ?? problem} />
      {loadTest.requests === 0 ? (
        <MeasuresAlone
          {...{ name: loadTest.name, scope, version, parameters, clock }}
          emptyText="No requests yet."
        />
      ) : (
        <Shown
          {...answers}
          name={loadTest.name}
          hasTimes={loadTest.from !== null}
          allEndpoints={loadTest.endpoints}
          scope={scope}
          range={range}
          drawnRange={drawnRange(range, whole, live)}
          whole={whole}
          version={version}
          clock={clock}
          following={following}
          live={live}
          verdict={verdict}
          hasFailures={loadTest.failedRequests > 0}
          formatTime={formatTime}
          clockOrigin={clockOrigin(clock, whole.from)}
          parameters={parameters}
        />
      )}
    </main>
  );
}

/** How many requests the scope has, if the load test's record is enough to know: charts then need not wait for the table. */
function knownRequests({ requests }: LoadTestDetail, scope: Scope): number | undefined {
  return isEverything(scope) ? requests : undefined;
}

/** More are listed in part. */
const MANY_ENDPOINTS = 1000;

/** The rows to request in the table's order; `undefined`: all, sorted by the table itself. Facets multiply them. */
function rowsOf(
  { endpoints }: LoadTestDetail,
  { by }: Scope,
  parameters: ReadonlyMap<string, string>,
): RowsRequest | undefined {
  if (endpoints <= MANY_ENDPOINTS && by === undefined) return undefined;
  const { column, isAscending } = sortingOf(parameters.get("sort"), parameters.get("order"), true);
  const order = isAscending ? "ascending" : "descending";
  return { limit: rowsIn(parameters), sort: servedColumn(column), order };
}

/** State for style sheets: no answer, or some shown data still belong to the previous request. */
function stateOf({ outage }: Live, behind: readonly string[]): string {
  return outage === undefined ? behind.map((part) => `behind-${part}`).join(" ") : "outdated";
}

function isRunning({ isGrowing, outage }: Live): boolean {
  return isGrowing && outage === undefined;
}

/** During an outage the charts go on without lines. */
function drawnRange(range: Range, whole: Range, { outage }: Live): Range {
  return outage === undefined ? range : withSilence(range, whole, Date.now() / 1000);
}

/** The tab's title; for a running load test, with its current figures. */
function useLoadTestTitle(name: string, running: Figures | undefined): void {
  useTitle(
    running === undefined
      ? `${name} · Tachograph`
      : `${rate(running.reqPerSec)}/s · ${count(running.errCount)} failed · ${name}`,
  );
}
