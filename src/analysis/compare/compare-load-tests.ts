import type {
  ComparedEndpoint,
  ComparedRow,
  LoadTestComparison,
  Verdict,
} from "../../api/compare.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { UserError } from "../../model/errors.ts";
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
import { EndpointSums } from "./endpoint-sums.ts";
import { hashOfLabel, whereverFound } from "../../series/endpoint-selection.ts";
import { figuresOf } from "../../query/figures.ts";
import { withMeasured } from "../../query/source-facts.ts";
import { paced } from "../../concurrency/yielder.ts";
import { chunksOf } from "../../model/columns.ts";
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
  { base, later }: CompareQuery,
): Promise<LoadTestComparison> {
  const [comparison] = await Array.fromAsync(compareEach(points, base, [later]));
  return comparison as LoadTestComparison;
}

/** The limit of endpoints times runs in one answer: it bounds the time. */
const CELLS_MAX = 200_000;

/** Endpoints times runs that are compared at once, with one reading of the base: some 100 MB. */
const CELLS_AT_ONCE = 20_000;

/** Compares each with the base, and forgets what it yields. Throws what `compareLoadTests` throws. */
export async function* compareEach(
  points: Points,
  basePart: ComparedPart,
  laterParts: readonly ComparedPart[],
  cellsAtOnce = CELLS_AT_ONCE,
): AsyncGenerator<LoadTestComparison> {
  const wherever = { ...basePart, selection: whereverFound(basePart.selection) };
  using base = await openComparedSide(points, wherever);
  const atOnce = Math.max(1, Math.floor(cellsAtOnce / Math.max(1, base.endpoints.size)));
  for (const parts of chunksOf(laterParts, atOnce)) {
    const comparisons: OpenComparison[] = [];
    const opened: ComparedSide[] = [];
    try {
      for (const part of parts) {
        const later = await openComparedSide(points, part);
        opened.push(later);
        comparisons.push(new OpenComparison({ base, later }, { base: basePart, later: part }));
      }
      await compareEndpoints(base, comparisons, laterParts.length);
      for (let next = comparisons.shift(); next !== undefined; next = comparisons.shift()) {
        yield next.result();
      }
    } finally {
      for (const side of opened) side[Symbol.dispose]();
    }
  }
}

async function compareEndpoints(
  base: ComparedSide,
  comparisons: readonly OpenComparison[],
  runs: number,
): Promise<void> {
  const sides = [base, ...comparisons.map(({ later }) => later)];
  const labels = [...new Set(sides.flatMap(({ endpoints }) => [...endpoints.keys()]))];
  if (runs > 1) requireFew(labels.length, runs + 1);
  const [nextOfBase, ...nextOfLater] = sides.map((side) => nextOf(side, labels));
  const sums = { base: new EndpointSums(), later: new EndpointSums() };
  for await (const label of paced(labels)) {
    sums.base.begin(await nextOfBase?.(label), base.endpoints.get(label)?.span);
    for (const [at, comparison] of comparisons.entries()) {
      const columns = await nextOfLater[at]?.(label);
      if (columns === undefined && !base.endpoints.has(label)) continue;
      sums.later.begin(columns, comparison.later.endpoints.get(label)?.span);
      comparison.add(label, sums);
    }
  }
}

function requireFew(endpoints: number, runs: number): void {
  if (endpoints * runs <= CELLS_MAX) return;
  throw new UserError(
    "too-many-endpoints",
    `cannot compare ${endpoints} endpoints of ${runs} runs: expected at most ${CELLS_MAX} figures; choose fewer runs, or endpoints by a filter`,
  );
}

/** A comparison to which endpoints are added. */
class OpenComparison {
  readonly later: ComparedSide;
  readonly #sides: Pair<ComparedSide>;
  readonly #query: CompareQuery;
  readonly #roles: ReadonlyMap<string, LabelRole>;
  readonly #inWhole: ReadonlySet<string>;
  readonly #plans: Pair<BlockPlan | undefined>;
  readonly #whole = { base: new CompareBlocks(), later: new CompareBlocks() };
  /** The overall shift is the sum of those of the endpoints, in the blocks of the load test. */
  readonly #shifts = new ShiftSum();
  /** Error probability of all endpoints together; `#ofEach` is that of a single one. */
  readonly #errorProbability = ERROR_PROBABILITY / TESTED_FIGURE_COUNT;
  readonly #ofEach: number;
  readonly #endpoints: ComparedEndpoint[] = [];

  constructor(sides: Pair<ComparedSide>, query: CompareQuery) {
    const { base, later } = sides;
    this.later = later;
    this.#sides = sides;
    this.#query = query;
    this.#roles = rolesOf(sides);
    const whole = overallEndpoints([...this.#roles.values()], query.later.selection);
    this.#inWhole = new Set(whole.map(({ label }) => label));
    this.#plans = {
      base: planOf(wholeSpan(base, this.#inWhole)),
      later: planOf(wholeSpan(later, this.#inWhole)),
    };
    this.#whole.base.begin(this.#plans.base);
    this.#whole.later.begin(this.#plans.later);
    const tested = [...base.endpoints.keys()].filter((label) => this.#isTested(label)).length;
    this.#ofEach = this.#errorProbability / tested;
  }

  add(label: string, { base, later }: Pair<EndpointSums>): void {
    if (this.#inWhole.has(label)) {
      const placed = { base: base.in(this.#plans.base), later: later.in(this.#plans.later) };
      this.#whole.base.merge(placed.base);
      this.#whole.later.merge(placed.later);
      const shift = shiftOf(placed);
      if (shift !== undefined) this.#shifts.add(shift);
    }
    const own = { base: base.own, later: later.own };
    const row = evaluateRow(own, shiftOf(own), this.#isTested(label) ? this.#ofEach : undefined);
    const role = this.#roles.get(label)?.role;
    this.#endpoints.push({ label, hash: hashOfLabel(label), ...(role && { role }), ...row });
  }

  /** Whether both sides have enough requests to be tested. */
  #isTested(label: string): boolean {
    const { base, later } = this.#sides;
    return [base, later].every(({ endpoints }) => planOf(endpoints.get(label)?.span) !== undefined);
  }

  result(): LoadTestComparison {
    const { base, later } = this.#whole;
    const isTested = this.#plans.base !== undefined && this.#plans.later !== undefined;
    const shift = this.#shifts.total();
    const overall = evaluateRow(this.#whole, shift, isTested ? this.#errorProbability : undefined);
    const lengths = hasStart(this.#query)
      ? lengthRemarks(base.sum.rangeSeconds, later.sum.rangeSeconds)
      : [];
    const { base: ofBase, later: ofLater } = this.#sides;
    return {
      overall,
      ...overallContents(this.#endpoints, ({ label }) => this.#inWhole.has(label)),
      endpoints: worstFirst(this.#endpoints),
      quality: {
        base: [...withMeasured(ofBase.quality, figuresOf(base.sum)), ...lengths],
        value: [...withMeasured(ofLater.quality, figuresOf(later.sum)), ...lengths],
      },
    };
  }
}

function planOf(span: Span | undefined): BlockPlan | undefined {
  return span && planBlocks(span);
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
