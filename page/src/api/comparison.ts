import type { FacetFilter } from "../facets/facet-filter.ts";
import { type Answer, ask, type Parameters } from "./client.ts";
import { isUnknownFacet } from "./facets.ts";

/** Two load tests and the part of them that is compared. */
export interface Compared extends FacetFilter {
  readonly base: string;
  readonly id: string;
  /** Seconds skipped at the start of both runs. */
  readonly skipStart: number;
  /** End of the comparison in seconds after the start of each; `undefined`: all. */
  readonly until: number | undefined;
}

/** What is known of both runs. */
export interface Pair<Value> {
  readonly base: Value;
  /** Of the load test that is compared with the base. */
  readonly later: Value;
}

/** See docs/api.md, "Compare". Times in seconds, changes of times relative. */
export type LoadTestComparison = Answer<"compareLoadTests">;
export type ComparedRow = LoadTestComparison["overall"];
export type ComparedEndpoint = LoadTestComparison["endpoints"][number];
export type ComparedMeasure = NonNullable<LoadTestComparison["measures"]>[number];
export type Verdict = ComparedRow["verdict"];

export type TimeFigure = "avgLoadTime" | "p50" | "p95" | "p99";

/** Any compared figure; a shift has neither `base` nor `value`. */
export type Comparison = ComparedRow[TimeFigure];

/** See docs/api.md, "GET /Api/Compare". The base first. */
export type ComparedRuns = Answer<"compareRuns">;
export type ComparedRun = ComparedRuns["loadTests"][number];
export type ComparedCell = ComparedRuns["overall"][number];
export type ComparedMeasureRow = NonNullable<ComparedRuns["measures"]>[number];
export type RunsParameters = Parameters<"compareRuns">;

export function askComparedRuns(
  parameters: RunsParameters,
  signal: AbortSignal,
): Promise<ComparedRuns> {
  return ask("compareRuns", parameters, { signal });
}

/** See docs/api.md, "Distribution". */
export type Distribution = Answer<"getDistribution">;

/** First second of each run. */
type Starts = Pair<number>;

export function askComparison(
  compared: Compared,
  starts: Starts,
  signal: AbortSignal,
): Promise<LoadTestComparison> {
  return ask("compareLoadTests", comparisonParameters(compared, starts), { signal });
}

export function comparisonParameters(
  { base, id, skipStart, until, where, by }: Compared,
  starts: Starts,
): Parameters<"compareLoadTests"> {
  return {
    id,
    base,
    skipStart: skipStart === 0 ? undefined : skipStart,
    until: until === undefined ? undefined : starts.later + until,
    baseUntil: until === undefined ? undefined : starts.base + until,
    where,
    by,
  };
}

/** Of no label. */
const NO_HASH = "0".repeat(40);

/** The distributions of one endpoint, or of all together, in both load tests. */
export async function askDistributions(
  compared: Compared,
  starts: Starts,
  hash: string | undefined,
  signal: AbortSignal,
): Promise<Pair<Distribution>> {
  const { where, by } = compared;
  const askOne = (id: string, start: number): Promise<Distribution> => {
    const seconds = secondsOf(compared, start);
    return ask("getDistribution", { id, hash, where, by, ...seconds }, { signal });
  };
  const [base, later] = await Promise.all([
    askOne(compared.base, starts.base).catch((error: unknown) => {
      if (!isUnknownFacet(error)) throw error;
      return ask("getDistribution", { id: compared.base, hash: NO_HASH }, { signal });
    }),
    askOne(compared.id, starts.later),
  ]);
  return { base, later };
}

/** The compared range in UNIX seconds of the load test that begins at `start`. */
export function secondsOf(
  { skipStart, until }: Pick<Compared, "skipStart" | "until">,
  start: number,
): { readonly from: number | undefined; readonly until: number | undefined } {
  return {
    from: skipStart === 0 ? undefined : start + skipStart,
    until: until === undefined ? undefined : start + until,
  };
}
