import type {
  ComparedEndpoint,
  ComparedRow,
  LoadTestComparison,
  Verdict,
} from "../../api/compare.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { compareLabels } from "../../model/label.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { strongerDerivedRole } from "../../model/role.ts";
import type { MeasureSelector } from "../../model/measures/measure-selector.ts";
import type { Points } from "../../store/store.ts";
import { type BlockPlan, CompareBlocks, type Span, planBlocks } from "./compare-blocks.ts";
import type { Pair } from "./compare-noise.ts";
import { TESTED_FIGURE_COUNT, evaluateRow } from "./evaluate-row.ts";
import { ShiftSum, shiftOf } from "./compare-shift.ts";
import { type ComparedPart, type ComparedSide, openComparedSide } from "./compare-side.ts";
import { hashOfLabel, whereverFound } from "../../series/endpoint-selection.ts";
import { figuresOf } from "../../query/figures.ts";
import { withMeasured } from "../../query/source-facts.ts";
import { paced } from "../../concurrency/yielder.ts";
import { overallContents, overallEndpoints } from "../../series/overall.ts";

/** Worst first; missing and new endpoints last. */
const RANKS: Readonly<Record<Verdict, number>> = {
  slower: 0,
  inconclusive: 1,
  unchanged: 2,
  faster: 3,
  tooFew: 4,
  tooShort: 4,
  gone: 5,
  new: 6,
};

export interface CompareQuery {
  readonly base: ComparedPart;
  readonly later: ComparedPart;
  /** What is merged into one measure. @default each name of the run as a whole */
  readonly selector?: MeasureSelector | undefined;
}

/** Probability that chance makes any overall figure significant; the same again for all endpoints together. */
export const ERROR_PROBABILITY = 0.01;

/** Throws `unknown-load-test`, `too-many-endpoints`, `sum-too-large`, `damaged-store`. */
export async function compareLoadTests(
  points: Points,
  query: CompareQuery,
): Promise<LoadTestComparison> {
  const selection = whereverFound(query.base.selection);
  using base = await openComparedSide(points, { ...query.base, selection });
  using later = await openComparedSide(points, query.later);
  return await compareSides({ base, later }, query);
}

async function compareSides(
  sides: Pair<ComparedSide>,
  query: CompareQuery,
): Promise<LoadTestComparison> {
  const { base, later } = sides;
  const roles = rolesOf(sides);
  const inWhole = new Set(
    overallEndpoints([...roles.values()], query.later.selection).map(({ label }) => label),
  );
  const labels = [...new Set([...base.endpoints.keys(), ...later.endpoints.keys()])];
  const plans = new Map(labels.map((label) => [label, plansOf(spansOf(sides, label))]));
  const wholePlans = plansOf({
    base: wholeSpan(base, inWhole),
    later: wholeSpan(later, inWhole),
  });
  const tested = [...plans.values()].filter((each) => each !== undefined).length;
  const errorProbability = ERROR_PROBABILITY / TESTED_FIGURE_COUNT;
  // The overall shift is the sum of those of the endpoints, in the blocks of the load test.
  const [whole, own, placed] = [emptyBlocks(), emptyBlocks(), emptyBlocks()];
  const shifts = new ShiftSum();
  begin(whole, wholePlans);
  const series = { base: nextOf(base, labels), later: nextOf(later, labels) };
  const endpoints: ComparedEndpoint[] = [];
  for await (const label of paced(labels)) {
    begin(own, plans.get(label));
    begin(placed, wholePlans);
    for (const side of ["base", "later"] as const) {
      const columns = await series[side](label);
      if (columns === undefined) continue;
      own[side].add(columns);
      if (inWhole.has(label)) for (const blocks of [placed, whole]) blocks[side].add(columns);
    }
    const shift = shiftOf(placed);
    if (shift !== undefined) shifts.add(shift);
    const row = evaluateRow(own, shiftOf(own), plans.get(label) && errorProbability / tested);
    const role = roles.get(label)?.role;
    endpoints.push({ label, hash: hashOfLabel(label), ...(role && { role }), ...row });
  }
  const overall = evaluateRow(whole, shifts.total(), wholePlans && errorProbability);
  const [baseSeconds, laterSeconds] = [whole.base.sum.rangeSeconds, whole.later.sum.rangeSeconds];
  const lengths = hasStart(query) ? lengthRemarks(baseSeconds, laterSeconds) : [];
  return {
    overall,
    ...overallContents(endpoints, ({ label }) => inWhole.has(label)),
    endpoints: worstFirst(endpoints),
    quality: {
      base: [...withMeasured(base.quality, figuresOf(whole.base.sum)), ...lengths],
      value: [...withMeasured(later.quality, figuresOf(whole.later.sum)), ...lengths],
    },
  };
}

function hasStart({ base, later }: CompareQuery): boolean {
  return [base, later].some(({ range, skipStartSeconds }) => {
    return range === undefined && skipStartSeconds === 0;
  });
}

/** Of runs whose lengths differ by more, a warm-up has another weight in each; of very short ones nothing is said. */
const LENGTHS_FACTOR = 1.5;
const LENGTH_SECONDS_MIN = 60;

function lengthRemarks(baseSeconds: number, laterSeconds: number): readonly QualityRemark[] {
  const [shorter, longer] = [
    Math.min(baseSeconds, laterSeconds),
    Math.max(baseSeconds, laterSeconds),
  ];
  if (shorter < LENGTH_SECONDS_MIN || longer <= LENGTHS_FACTOR * shorter) return [];
  const message =
    `the base lasts ${baseSeconds} s and this run ${laterSeconds} s: a warm-up weighs more in the shorter one; ` +
    "leave it out of both (--skip-start)";
  return [{ code: "lengths-differ", message }];
}

type LabelRole = Pick<Endpoint, "label" | "role">;

/** Role by label: the stronger one of both sides. */
function rolesOf({ base, later }: Pair<ComparedSide>): ReadonlyMap<string, LabelRole> {
  const roles = new Map<string, LabelRole>();
  for (const { label, role } of [...base.selected, ...later.selected]) {
    const known = roles.get(label);
    const merged = known === undefined ? role : strongerDerivedRole(known.role, role);
    roles.set(label, { label, ...(merged === undefined ? {} : { role: merged }) });
  }
  return roles;
}

/** Yields the points of the labels in order, those that the side has. */
function nextOf(side: ComparedSide, labels: readonly string[]) {
  const series = side.read(labels)[Symbol.asyncIterator]();
  return async (label: string) => {
    if (!side.endpoints.has(label)) return undefined;
    const next = await series.next();
    if (next.done) throw new Error(`BUG: no points of "${label}"`);
    return next.value.columns;
  };
}

function emptyBlocks(): Pair<CompareBlocks> {
  return { base: new CompareBlocks(), later: new CompareBlocks() };
}

function begin(blocks: Pair<CompareBlocks>, plans: Pair<BlockPlan> | undefined): void {
  blocks.base.begin(plans?.base);
  blocks.later.begin(plans?.later);
}

function spansOf({ base, later }: Pair<ComparedSide>, label: string): Pair<Span | undefined> {
  return { base: base.endpoints.get(label)?.span, later: later.endpoints.get(label)?.span };
}

/** `undefined` if either side is too small. */
function plansOf(spans: Pair<Span | undefined>): Pair<BlockPlan> | undefined {
  const base = spans.base && planBlocks(spans.base);
  const later = spans.later && planBlocks(spans.later);
  return base === undefined || later === undefined ? undefined : { base, later };
}

function wholeSpan({ endpoints }: ComparedSide, inWhole: ReadonlySet<string>): Span | undefined {
  const spans = [...endpoints].flatMap(([label, { span }]) => (inWhole.has(label) ? [span] : []));
  const timed = spans.filter(({ from }) => from > 0);
  if (timed.length === 0) return undefined;
  return timed.reduce((all, own) => ({
    requests: all.requests + own.requests,
    from: Math.min(all.from, own.from),
    until: Math.max(all.until, own.until),
    windowSeconds: Math.max(all.windowSeconds, own.windowSeconds),
  }));
}

/** Worst first. Within a verdict the certain part of the change counts, so that few requests cannot outrank many. */
export function worstFirst(rows: readonly ComparedEndpoint[]): readonly ComparedEndpoint[] {
  return rows
    .map((row) => ({ row, rank: rankOf(row), grown: surelyGrown(row) }))
    .toSorted(
      (left, right) =>
        left.rank - right.rank ||
        right.grown - left.grown ||
        compareLabels(left.row.label, right.row.label),
    )
    .map(({ row }) => row);
}

/** 0: worst. */
export function rankOf({ verdict, errRate }: ComparedRow): number {
  const { isSignificant, change = 0 } = errRate;
  return isSignificant === true && change > 0 ? RANKS.slower : RANKS[verdict];
}

/** The least certain growth of any time. */
export function surelyGrown({ shift, avgLoadTime, p50, p95, p99 }: ComparedRow): number {
  const limits = [shift, avgLoadTime, p50, p95, p99].flatMap(({ low }) => low ?? []);
  return limits.length === 0 ? -1 : Math.max(...limits);
}
