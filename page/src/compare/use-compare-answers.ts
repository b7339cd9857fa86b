import type { ApiError } from "../api/client.ts";
import {
  askComparison,
  askDistributions,
  type Distribution,
  type LoadTestComparison,
  type Pair,
  secondsOf,
} from "../api/comparison.ts";
import { askMerged, type Scope, type Series } from "../api/figures.ts";
import { type LoadTestDetail, showLoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { resolutionFor } from "../load-test/scope/scope.ts";
import type { ShownPart } from "./shown-part.ts";

export function useBoth(base: string, id: string) {
  return useAnswer("both", `${base} ${id}`, async (signal): Promise<Pair<LoadTestDetail>> => {
    const [one, other] = await Promise.all([showLoadTest(base, signal), showLoadTest(id, signal)]);
    return { base: one, later: other };
  });
}

/** The service's answers about both, as far as they have arrived. */
export interface CompareAnswers {
  readonly comparison: LoadTestComparison | undefined;
  /** Of all endpoints. */
  readonly distributions: Pair<Distribution> | undefined;
  /** Of the chosen endpoint. */
  readonly chosen: ChosenDistributions | undefined;
  readonly series: Pair<Series> | undefined;
  /** Seconds of a point in `series`. */
  readonly resolution: number;
  /** The first error. */
  readonly problem: ApiError | undefined;
}

interface ChosenDistributions {
  readonly hash: string;
  readonly distributions: Pair<Distribution>;
}

/** Width beside a chart: margins, axis, line names. */
const BESIDE_CHART_PIXELS = 176;

/** Requests everything shown of both. */
export function useCompareAnswers(both: Pair<LoadTestDetail>, part: ShownPart): CompareAnswers {
  const { compared, hash } = part;
  const starts = { base: both.base.from ?? 0, later: both.later.from ?? 0 };
  const question = JSON.stringify([compared, both.base.lastDataAt, both.later.lastDataAt]);
  const comparison = useAnswer("comparison", question, (signal) =>
    askComparison(compared, starts, signal),
  );
  const all = useAnswer("distributions", question, (signal) =>
    askDistributions(compared, starts, undefined, signal),
  );
  const chosen = useAnswer(
    "distributions",
    hash === undefined ? "" : `${question} ${hash}`,
    async (signal): Promise<ChosenDistributions> => ({
      hash: hash ?? "",
      distributions: await askDistributions(compared, starts, hash, signal),
    }),
  );
  const resolution = resolutionOf(both, part, all.value);
  const series = useAnswer(
    "compared series",
    all.value === undefined ? "" : `${question} ${resolution}`,
    async (signal): Promise<Pair<Series>> => {
      const [base, later] = await Promise.all([
        askMerged(scopeOf(compared.base, part, starts.base), resolution, signal),
        askMerged(scopeOf(compared.id, part, starts.later), resolution, signal),
      ]);
      return { base: base ?? NO_SERIES, later: later ?? NO_SERIES };
    },
  );
  const asked = [comparison, all, chosen, series];
  return {
    comparison: comparison.value,
    distributions: all.value,
    chosen: chosen.value,
    series: series.value,
    resolution,
    problem: asked.find(({ error }) => error !== undefined)?.error,
  };
}

const NO_SERIES: Series = {
  labels: [],
  count: [],
  errCount: [],
  avgLoadTime: [],
  receivedBytes: [],
  percentileOrigin: "computed" as const,
  percentiles: {},
};

function scopeOf(id: string, { compared }: ShownPart, start: number): Scope {
  return { id, filter: "", hashes: [], ...secondsOf(compared, start) };
}

/** Fine enough for the screen, coarse enough for the load test with fewer requests. */
function resolutionOf(
  both: Pair<LoadTestDetail>,
  { compared }: ShownPart,
  distributions: Pair<Distribution> | undefined,
): number {
  const whole = Math.max(lengthOf(both.base), lengthOf(both.later));
  const length = Math.max(1, (compared.until ?? whole) - compared.skipStart);
  const { base, later } = distributions ?? {};
  const requests = Math.min(base?.overall.count ?? 0, later?.overall.count ?? 0);
  return resolutionFor(length, requests, innerWidth - BESIDE_CHART_PIXELS);
}

/** Seconds from first to last, inclusive. */
export function lengthOf({ from, until }: LoadTestDetail): number {
  return from === null || until === null ? 0 : until - from + 1;
}
