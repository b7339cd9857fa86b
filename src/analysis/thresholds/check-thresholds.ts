import { type CheckedPairs, checkPairs } from "../check/check-pairs.ts";
import { type CheckQuery, checkLoadTest } from "../check/check-load-test.ts";
import type { CheckedLimit, Limit } from "../check/limit.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { type LoadTestReader, readSteadyRange } from "../load-test-reader.ts";

export interface ThresholdsQuery extends CheckQuery {
  /** Growth is measured over these instead of `base` and `later`, which tell what filters match. */
  readonly pairs?: CheckedPairs | undefined;
}

/**
 * Checks limits, those with a filter on each endpoint that it matches. Growth without a base and changes without a
 * history are unjudged. Throws what `checkLoadTest` throws.
 */
export async function checkThresholds(
  reader: LoadTestReader,
  query: ThresholdsQuery,
): Promise<readonly CheckedLimit[]> {
  const limits = await limitsByEndpoint(reader, query.later, query.limits);
  const isWithoutBase = ({ about }: Limit): boolean =>
    (about === "growth" && query.base === undefined) ||
    (about === "change" && query.history === undefined);
  const tested = limits.filter((limit) => !isWithoutBase(limit));
  const { pairs } = query;
  const checked =
    pairs === undefined
      ? await checkLoadTest(reader, { ...query, limits: tested })
      : await checkPairs(reader, pairs, tested);
  const byLimit = new Map(checked.map((each) => [each.limit, each]));
  return limits.map((limit) => byLimit.get(limit) ?? withoutBase(limit));
}

function withoutBase(limit: Limit): CheckedLimit {
  return { limit, outcome: "unjudged", isWithoutBase: true, quality: { base: [], value: [] } };
}

/** Replaces a limit with a filter by one per endpoint; without a match, by one of an endpoint without requests. */
async function limitsByEndpoint(
  reader: LoadTestReader,
  part: ComparedPart,
  limits: readonly Limit[],
): Promise<readonly Limit[]> {
  if (limits.every(({ filter }) => filter === undefined)) return limits;
  const range = await readSteadyRange(reader, part);
  const { endpoints } = await reader.summarise({ ...part, range, apdexMicros: undefined });
  return limits.flatMap((limit) => {
    const { filter } = limit;
    if (filter === undefined) return [limit];
    const labels = endpoints.flatMap(({ label }) => (label.includes(filter) ? [label] : []));
    // No endpoint has this label, or the filter would match it.
    const matched = labels.length === 0 ? [filter] : labels;
    return matched.map((label) => ({ ...limit, label, text: `${label}: ${limit.text}` }));
  });
}
