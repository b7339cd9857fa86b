import { Yielder } from "../../concurrency/yielder.ts";
import { badParameter, unless, UserError } from "../../model/errors.ts";
import { labelMatcher } from "../../model/label.ts";
import { type CheckedPairs, prepareCheckOfPairs } from "../check/check-pairs.ts";
import { type Check, type CheckQuery, prepareCheck } from "../check/check-load-test.ts";
import { limitPerSeries, readMeasures } from "../check/check-measures.ts";
import type { CheckedLimit, LabelsOf, Limit } from "../check/limit.ts";
import { conditionIn, subjectOf } from "../check/parse-limit.ts";
import { REQUESTS_MIN } from "../compare/compare-blocks.ts";
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
  query: ThresholdsQuery,
  take: (checked: CheckedLimit, expression: number) => void,
): Promise<void> {
  const reader = { ...source, measures: onceEach((asked) => source.measures(asked)) };
  const apart = await limitsApart(reader, query);
  const parts: FacetPart[] = [];
  for (const [key, own] of Map.groupBy(apart, ({ limit }) => facetsKey(limit))) {
    const limits = own.map(({ limit }) => limit);
    const part = { ...ofFacets(query, limits[0]), limits };
    const labelsOf = await unless("unknown-facet", () => readLabels(reader, part, limits));
    parts.push({ key, query: part, labelsOf: labelsOf ?? asNamed });
  }
  const growths = sumOver(
    parts,
    (limit) => limit.kind === "growth" && !isWithoutBase(limit, query),
  );
  if (sumOver(parts, () => true) > CHECKS_MAX) throw tooMany(query.limits.length);
  const checks = new Map<string, FacetPart & { readonly check: Check }>();
  for (const part of parts) {
    const check = await unless("unknown-facet", () => prepareFor(reader, part, growths));
    checks.set(part.key, { ...part, check: check ?? withoutRequest });
  }
  const yielder = new Yielder();
  for (const { limit, expression } of apart) {
    const { check, labelsOf } = checks.get(facetsKey(limit)) as FacetPart & { check: Check };
    for (const label of labelsOf(limit)) {
      const own = limit.each === undefined ? limit : limitOn(label ?? "", limit);
      take(isWithoutBase(limit, query) ? withoutBase(own) : check(own), expression);
      if (yielder.isDue()) await yielder.next();
    }
  }
}

interface FacetPart {
  readonly key: string;
  readonly query: ThresholdsQuery;
  readonly labelsOf: LabelsOf;
}

export function facetsKey({ facets = [] }: Limit): string {
  return JSON.stringify(facets);
}

/** Throws `bad-parameter` if the query chooses a facet of the limit already. */
function ofFacets(query: ThresholdsQuery, limit: Limit | undefined): ThresholdsQuery {
  const { text = "", facets = [] } = limit ?? {};
  if (facets.length === 0) return query;
  const within = (part: ComparedPart): ComparedPart => {
    const { where = [], by = [] } = part.selection.facets ?? {};
    const twice = facets.find(({ tag }) => where.some((each) => each.tag === tag));
    if (twice === undefined) {
      return {
        ...part,
        selection: { ...part.selection, facets: { where: [...where, ...facets], by } },
      };
    }
    throw badParameter(
      `"${text}" is about the facet ${twice.tag}, which is chosen for all: leave out one`,
    );
  };
  const { base, pairs } = query;
  return {
    ...query,
    later: within(query.later),
    base: base && within(base),
    pairs: pairs && {
      ...pairs,
      pairs: pairs.pairs.map((pair) => ({ base: within(pair.base), later: within(pair.later) })),
    },
  };
}

const asNamed: LabelsOf = ({ label, each }) => [label ?? each];

/** No request has the facet. */
const withoutRequest: Check = (limit) => {
  return { limit, outcome: "unmeasured", quality: { base: [], value: [] } };
};

function isWithoutBase({ kind }: Limit, { base, history }: ThresholdsQuery): boolean {
  return (kind === "growth" && base === undefined) || (kind === "change" && history === undefined);
}

function sumOver(parts: readonly FacetPart[], counts: (limit: Limit) => boolean): number {
  return parts.reduce(
    (sum, { query, labelsOf }) => sum + countChecks(query.limits.filter(counts), labelsOf),
    0,
  );
}

async function prepareFor(
  reader: LoadTestReader,
  { query: { pairs, ...query }, labelsOf }: FacetPart,
  growths: number,
): Promise<Check> {
  const limits = query.limits.filter((limit) => !isWithoutBase(limit, query));
  return pairs === undefined
    ? prepareCheck(reader, { ...query, limits, growths }, labelsOf)
    : prepareCheckOfPairs(reader, pairs, { limits, count: growths });
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
  return { ...limit, label, text: `${subjectOf(label)}: ${conditionIn(limit.text)}` };
}

function withoutBase(limit: Limit): CheckedLimit {
  return { limit, outcome: "unjudged", isWithoutBase: true, quality: { base: [], value: [] } };
}

/**
 * Reads which endpoints patterns match; a pattern without a match has an endpoint without requests. Growth is also checked on those that only
 * the base has, unless they are so rare that they may be missing by chance.
 */
async function readLabels(
  reader: LoadTestReader,
  { later, base }: Pick<CheckQuery, "later" | "base">,
  limits: readonly Limit[],
): Promise<LabelsOf> {
  const matched = {
    all: new Map<string, readonly string[]>(),
    growth: new Map<string, readonly string[]>(),
  };
  const labelsOf: LabelsOf = ({ label, each, kind }) => {
    if (each === undefined) return [label];
    return (kind === "growth" ? matched.growth : matched.all).get(each) ?? [];
  };
  const patterns = new Set(limits.flatMap(({ each }) => each ?? []));
  if (patterns.size === 0) return labelsOf;
  const labels = await labelsIn(reader, later, 1);
  const isAnyGrowth =
    base !== undefined && limits.some(({ each, kind }) => each !== undefined && kind === "growth");
  const ofBase = isAnyGrowth
    ? await unless("unknown-facet", () => labelsIn(reader, base, REQUESTS_MIN))
    : undefined;
  const known = new Set(labels);
  const gone = (ofBase ?? []).filter((label) => !known.has(label));
  const yielder = new Yielder();
  for (const pattern of patterns) {
    const matches = labelMatcher([pattern]);
    const [found, missing] = [labels.filter(matches), gone.filter(matches)];
    // No endpoint has this label, or the pattern would match it.
    matched.all.set(pattern, found.length === 0 ? [pattern] : found);
    const both = [...found, ...missing];
    matched.growth.set(pattern, both.length === 0 ? [pattern] : both);
    if (countChecks(limits, labelsOf) > CHECKS_MAX) throw tooMany(limits.length);
    await yielder.pass();
  }
  return labelsOf;
}

/** Labels of the endpoints with at least `requestsMin` requests. */
async function labelsIn(
  reader: LoadTestReader,
  part: ComparedPart,
  requestsMin: number,
): Promise<readonly string[]> {
  const range = await readSteadyRange(reader, part);
  const { endpoints } = await reader.summarise({ ...part, range, apdexMicros: undefined });
  return endpoints.filter(({ count }) => count >= requestsMin).map(({ label }) => label);
}

function tooMany(limits: number): UserError {
  return new UserError(
    "too-many-endpoints",
    `${limits} expressions on the endpoints that their patterns match are more than ${CHECKS_MAX} checks; ` +
      "use narrower patterns or fewer expressions",
  );
}
