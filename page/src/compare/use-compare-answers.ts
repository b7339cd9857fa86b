import type { ApiError } from "../api/client.ts";
import {
  askComparison,
  askDistributions,
  type Distribution,
  type LoadTestComparison,
  type Pair,
  secondsOf,
} from "../api/comparison.ts";
import { askFacets, type Facet, isUnknownFacet } from "../api/facets.ts";
import { askMerged, type Scope, type Series } from "../api/figures.ts";
import { type LoadTestDetail, showLoadTest } from "../api/load-tests.ts";
import { answerTo, useAnswer } from "../api/use-answer.ts";
import { valueLines } from "../load-test/charts/drawn-lines.ts";
import type { DrawnLine } from "../load-test/endpoints/endpoint-lines.ts";
import { resolutionFor } from "../load-test/scope/scope.ts";
import type { ShownPart } from "./shown-part.ts";

export function useBoth(base: string, id: string) {
  const question = `${base} ${id}`;
  const asked = useAnswer("both", question, async (signal): Promise<Pair<LoadTestDetail>> => {
    const [one, other] = await Promise.all([showLoadTest(base, signal), showLoadTest(id, signal)]);
    return { base: one, later: other };
  });
  return { value: answerTo(asked, question), error: asked.error };
}

/** The service's answers about both, as far as they have arrived. */
export interface CompareAnswers {
  readonly comparison: LoadTestComparison | undefined;
  /** Of all endpoints. */
  readonly distributions: Pair<Distribution> | undefined;
  /** Of the chosen endpoint. */
  readonly chosen: ChosenDistributions | undefined;
  /** Overall, or of each value of the facet that splits. */
  readonly series: readonly ComparedLine[] | undefined;
  /** Of the later run. */
  readonly facets: readonly Facet[] | undefined;
  /** Seconds of a point in `series`. */
  readonly resolution: number;
  /** The first error. */
  readonly problem: ApiError | undefined;
}

/** Both runs over time. */
export interface ComparedLine extends Pair<Series> {
  /** `undefined`: overall. */
  readonly line: DrawnLine | undefined;
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
  const facets = useAnswer("facets", compared.id, (signal) => askFacets(compared.id, signal));
  const known = answerTo(facets, compared.id);
  const lines = valueLines(compared, known);
  const comparison = useAnswer("comparison", question, (signal) =>
    askComparison(compared, starts, signal),
  );
  const all = useAnswer("distributions", question, (signal) =>
    askDistributions(compared, starts, undefined, signal),
  );
  const distributions = answerTo(all, question);
  const chosenQuestion = `${question} ${hash}`;
  const chosen = useAnswer(
    "distributions",
    hash === undefined ? "" : chosenQuestion,
    async (signal): Promise<ChosenDistributions> => ({
      hash: hash ?? "",
      distributions: await askDistributions(compared, starts, hash, signal),
    }),
  );
  const resolution = resolutionOf(both, part, distributions);
  const seriesQuestion = JSON.stringify([question, resolution, lines]);
  const series = useAnswer(
    "compared series",
    distributions === undefined || lines === undefined ? "" : seriesQuestion,
    (signal): Promise<readonly ComparedLine[]> => {
      const askOne = (side: keyof Pair<unknown>, line: DrawnLine | undefined) =>
        askMerged(
          {
            ...scopeOf(side === "base" ? compared.base : compared.id, part, starts[side]),
            ...line?.part,
          },
          resolution,
          signal,
        ).catch((error: unknown) => {
          if (isUnknownFacet(error)) return NO_SERIES;
          throw error;
        });
      return Promise.all(
        (lines?.length ? lines : [undefined]).map(async (line) => {
          const [base, later] = await Promise.all([askOne("base", line), askOne("later", line)]);
          return { line, base, later };
        }),
      );
    },
  );
  const asked = [comparison, facets, all, chosen, series];
  return {
    // Those of another part or pair would be taken for these.
    comparison: answerTo(comparison, question),
    distributions,
    chosen: answerTo(chosen, chosenQuestion),
    series: answerTo(series, seriesQuestion),
    facets: known,
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
  const { where, by } = compared;
  return { id, filter: "", hashes: [], where, by, ...secondsOf(compared, start) };
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
