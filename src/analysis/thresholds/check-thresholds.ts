import { Yielder } from "../../concurrency/yielder.ts";
import { UserError } from "../../model/errors.ts";
import { labelMatcher } from "../../model/label.ts";
import { type CheckedPairs, prepareCheckOfPairs } from "../check/check-pairs.ts";
import { type CheckQuery, prepareCheck } from "../check/check-load-test.ts";
import { limitPerSeries, readMeasures } from "../check/check-measures.ts";
import type { CheckedLimit, LabelsOf, Limit } from "../check/limit.ts";
import { subjectOf } from "../check/parse-limit.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { type LoadTestReader, readSteadyRange } from "../load-test-reader.ts";

export interface ThresholdsQuery extends CheckQuery {
  /** Growth is measured over these instead of `base` and `later`, which tell what patterns match. */
  readonly pairs?: CheckedPairs | undefined;
}

/** Some seconds of checking. */
const CHECKS_MAX = 1_000_000;

/**
 * Checks limits in their order, those with a pattern on each endpoint that it matches, and passes each result to `take` with the
 * index of its limit. Growth without a base and changes without a history are unjudged. Yields to the event loop. Throws `too-many-endpoints` if it
 * would take more than a million checks, and what `prepareCheck` throws.
 */
export async function checkThresholds(
  source: LoadTestReader,
  { pairs, ...query }: ThresholdsQuery,
  take: (checked: CheckedLimit, expression: number) => void,
): Promise<void> {
  const { later } = query;
  const reader = { ...source, measures: onceEach((asked) => source.measures(asked)) };
  const apart = await limitsApart(reader, query);
  const limits = apart.map(({ limit }) => limit);
  const labelsOf = await readLabels(reader, later, limits);
  const isWithoutBase = ({ kind }: Limit): boolean =>
    (kind === "growth" && query.base === undefined) ||
    (kind === "change" && query.history === undefined);
  const tested = limits.filter((limit) => !isWithoutBase(limit));
  const check =
    pairs === undefined
      ? await prepareCheck(reader, { ...query, limits: tested }, labelsOf)
      : await prepareCheckOfPairs(reader, pairs, {
          limits: tested,
          count: countChecks(tested, labelsOf),
        });
  const yielder = new Yielder();
  for (const { limit, expression } of apart) {
    for (const label of labelsOf(limit)) {
      const own = limit.each === undefined ? limit : limitOn(label ?? "", limit);
      take(isWithoutBase(limit) ? withoutBase(own) : check(own), expression);
      if (yielder.isDue()) await yielder.next();
    }
  }
}

interface LimitOfExpression {
  readonly limit: Limit;
  readonly expression: number;
}

/** Reads which series selectors keep apart: each is checked by itself. */
async function limitsApart(
  reader: LoadTestReader,
  { later, base, limits }: Pick<CheckQuery, "later" | "base" | "limits">,
): Promise<readonly LimitOfExpression[]> {
  const read = async (part: ComparedPart | undefined, own: readonly Limit[]) => {
    if (part === undefined || own.length === 0) return new Map();
    return readMeasures(reader, { ...part, range: await readSteadyRange(reader, part) }, own);
  };
  const selecting = limits.filter(({ selector }) => selector !== undefined);
  const apart = selecting.filter(({ kind, selector }) => kind === "growth" && selector?.by.length);
  const [measures, ofBase] = [await read(later, selecting), await read(base, apart)];
  return limits.flatMap((limit, expression) =>
    limitPerSeries(limit, measures, ofBase).map((own) => ({ limit: own, expression })),
  );
}

/** Asks each question once. */
function onceEach(ask: LoadTestReader["measures"]): LoadTestReader["measures"] {
  const answers = new Map<string, ReturnType<typeof ask>>();
  return (query) => {
    const key = JSON.stringify(query);
    const answer = answers.get(key) ?? ask(query);
    answers.set(key, answer);
    return answer;
  };
}

function countChecks(limits: readonly Limit[], labelsOf: LabelsOf): number {
  return limits.reduce((sum, limit) => sum + labelsOf(limit).length, 0);
}

function limitOn(label: string, limit: Limit): Limit {
  if (label === limit.each) return { ...limit, label };
  const condition = limit.text.slice(limit.text.lastIndexOf(":") + 1).trim();
  return { ...limit, label, text: `${subjectOf(label)}: ${condition}` };
}

function withoutBase(limit: Limit): CheckedLimit {
  return { limit, outcome: "unjudged", isWithoutBase: true, quality: { base: [], value: [] } };
}

/** Reads which endpoints patterns match; a pattern without a match has an endpoint without requests. */
async function readLabels(
  reader: LoadTestReader,
  part: ComparedPart,
  limits: readonly Limit[],
): Promise<LabelsOf> {
  const matched = new Map<string, readonly string[]>();
  const labelsOf: LabelsOf = ({ label, each }) =>
    each === undefined ? [label] : (matched.get(each) ?? []);
  const patterns = new Set(limits.flatMap(({ each }) => each ?? []));
  if (patterns.size === 0) return labelsOf;
  const range = await readSteadyRange(reader, part);
  const { endpoints } = await reader.summarise({ ...part, range, apdexMicros: undefined });
  const labels = endpoints.map(({ label }) => label);
  const yielder = new Yielder();
  for (const pattern of patterns) {
    const found = labels.filter(labelMatcher([pattern]));
    // No endpoint has this label, or the pattern would match it.
    matched.set(pattern, found.length === 0 ? [pattern] : found);
    if (countChecks(limits, labelsOf) > CHECKS_MAX) throw tooMany(limits.length);
    await yielder.pass();
  }
  return labelsOf;
}

function tooMany(limits: number): UserError {
  return new UserError(
    "too-many-endpoints",
    `${limits} expressions on the endpoints that their patterns match are more than ${CHECKS_MAX} checks; ` +
      "use narrower patterns or fewer expressions",
  );
}
