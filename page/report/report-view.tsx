import { useMemo } from "preact/hooks";
import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import type { ComparedRuns } from "../src/api/comparison.ts";
import type { Scope } from "../src/api/figures.ts";
import type { Verdict } from "../src/api/thresholds.ts";
import { isLogarithmicIn } from "../src/load-test/charts/scale.ts";
import { chosenSecondsOf } from "../src/load-test/charts/resolutions.ts";
import { clockOf, clockOrigin, timeFormat } from "../src/load-test/clock.ts";
import { MeasuresAlone } from "../src/load-test/measures/measures-alone.tsx";
import { HoldingContext } from "../src/load-test/scope/holding.ts";
import type { Range } from "../src/load-test/scope/range.ts";
import { scopeOf } from "../src/load-test/scope/scope.ts";
import { Shown } from "../src/load-test/scope/shown.tsx";
import { useScopeAnswers } from "../src/load-test/scope/use-scope-answers.ts";
import { useScopeKeys } from "../src/load-test/scope/use-scope-keys.ts";
import { Refused } from "../src/shell/problem.tsx";
import { AgainstBaseline } from "./against-baseline.tsx";
import { onWindows } from "./on-windows.ts";
import { ReportFoot } from "./report-foot.tsx";
import { isPart, ReportHead, ReportTop } from "./report-head.tsx";
import { useAddress } from "./use-fragment.ts";

interface ReportViewProps {
  readonly about: WrittenAbout;
  readonly endpoints: number;
  /** See `EmbeddedReport`. */
  readonly embeddedBytes: number;
}

/** The view of a load test in a report: the fragment selects what is shown. */
export function ReportView(props: ReportViewProps) {
  const { about } = props;
  const { parameters } = useAddress();
  const { from: first, until: last, grainSeconds } = about;
  const whole = { from: first ?? 0, until: (last ?? 0) + 1 };
  const scope = useMemo(
    () => onWindows(scopeOf(about.id, { parameters }), whole, grainSeconds),
    [parameters],
  );
  const isCut = about.range !== undefined;
  const holding = useMemo(
    () => ({
      grainSeconds,
      measureSeconds: about.measures.grainSeconds,
      wholeName: isCut ? "Full report" : "Full run",
      hasOutcomes: false,
      isPart: isPart(about),
    }),
    [about, grainSeconds, isCut],
  );
  return (
    <HoldingContext.Provider value={holding}>
      <ReportTop />
      <main>
        <Loaded {...props} scope={scope} whole={whole} parameters={parameters} />
        <ReportFoot {...props} />
      </main>
    </HoldingContext.Provider>
  );
}

interface LoadedProps extends Omit<ReportViewProps, "embeddedBytes"> {
  readonly scope: Scope;
  readonly whole: Range;
  readonly parameters: ReadonlyMap<string, string>;
}

function Loaded({ about, endpoints, scope, whole, parameters }: LoadedProps) {
  const range = { from: scope.from ?? whole.from, until: scope.until ?? whole.until };
  const isHeatmap = parameters.get("view") === "heatmap";
  const answers = useScopeAnswers({
    scope,
    range,
    version: 0,
    isHeatmap,
    isIncident: parameters.has("incident"),
    chosenSeconds: chosenSecondsOf(parameters),
    rows: undefined,
    expectedRequests: undefined,
  });
  const isLogarithmic = isLogarithmicIn(parameters, answers.sheet, range);
  useScopeKeys({ scope, range, whole, parameters, isLogarithmic });
  // As the service answers them.
  const verdict = about.verdict as Verdict | undefined;
  const baseline = about.baseline as ComparedRuns | undefined;
  const clock = clockOf(parameters.get("clock"));
  const formatTime = useMemo(() => timeFormat(clock, whole), [clock, whole.from, whole.until]);
  return (
    <>
      <ReportHead
        about={about}
        verdict={verdict}
        clock={clock}
        formatTime={formatTime}
        scope={scope}
        resolution={answers.sheet?.resolution ?? about.grainSeconds}
      />
      <AgainstBaseline baseline={baseline} clock={clock} />
      <Refused error={answers.problem} />
      {endpoints === 0 ? (
        <MeasuresAlone
          {...{ name: about.name, scope, version: 0, parameters, clock }}
          emptyText="This report has no requests."
        />
      ) : (
        <Shown
          {...answers}
          name={about.name}
          hasTimes={about.until !== undefined}
          allEndpoints={endpoints}
          scope={scope}
          range={range}
          drawnRange={range}
          whole={whole}
          version={0}
          clock={clock}
          following={undefined}
          live={NOT_LIVE}
          verdict={verdict}
          hasFailures={false}
          formatTime={formatTime}
          clockOrigin={clockOrigin(clock, whole.from)}
          parameters={parameters}
        />
      )}
    </>
  );
}

const NOT_LIVE = {
  isGrowing: false,
  isPaused: false,
  outage: undefined,
  onPause: () => undefined,
};
