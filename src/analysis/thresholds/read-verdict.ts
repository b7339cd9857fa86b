import type { VerdictJson } from "../../api/thresholds.ts";
import { findBaseline } from "../../catalogue/baseline.ts";
import { UserError } from "../../model/errors.ts";
import { type LoadTestSummary, requireLoadTest } from "../../model/load-test.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import {
  type CheckedLimit,
  type Limit,
  type LimitOutcome,
  boundsJson,
  failsCheck,
  percentsIn,
  limitJson,
} from "../check/limit.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { openStoreReader } from "../load-test-reader.ts";
import { LOAD_TESTS_DEFAULT } from "../trend/trend-series.ts";
import { checkThresholds, facetsKey } from "./check-thresholds.ts";
import { limitsOf, openThresholdsByName } from "./stored-thresholds.ts";

/**
 * Checks a load test against the thresholds kept for its name: growth against the baseline, changes
 * within the runs of the name, both in `whole`. Lists at most a thousand checks. Throws `unknown-load-test`, `bad-parameter`, and what `checkThresholds` throws.
 */
export async function readVerdict(
  store: Pick<Store, "loadTests" | "points" | "thresholds">,
  loadTestId: string,
  now: () => number,
  whole: Pick<Store, "loadTests" | "points"> = store,
): Promise<VerdictJson> {
  const loadTest = requireLoadTest(await store.loadTests.find(loadTestId), loadTestId);
  const { name } = loadTest;
  const kept = await openThresholdsByName(store.thresholds, now).find(name);
  const limits = limitsOf(kept, name, now());
  if (limits.length === 0) return { name, against: null, fails: false, ...NOTHING };
  requireRoom(loadTest, limits);
  const baseline = await findBaseline(whole.loadTests, name);
  const against = baseline === undefined || baseline.id === loadTestId ? undefined : baseline.id;
  const query = {
    later: wholeOf(loadTestId),
    base: against === undefined ? undefined : wholeOf(against),
    history: { name, last: LOAD_TESTS_DEFAULT },
    limits,
  };
  const worst = new WorstChecks();
  await checkThresholds(openStoreReader(whole), query, (each, at) => worst.add(each, at));
  const { checked, failed, judged } = worst;
  const isHidden = against !== undefined && (await store.loadTests.find(against)) === undefined;
  return {
    name,
    against: isHidden ? null : (against ?? null),
    ...(isHidden && { isAgainstHidden: true }),
    fails: failed > 0,
    checked,
    failed,
    judged,
    thresholds: worst.list().map(verdictOf),
  };
}

/** With more, a server of 512 MB has no room for the figures of all. */
const HELD_ENDPOINTS_MAX = 100_000;

/** Percentiles that take as much room as the other figures of an endpoint. */
const PERCENTS_HELD = 10;

/** Throws `too-many-endpoints`. */
function requireRoom({ endpoints }: LoadTestSummary, limits: readonly Limit[]): void {
  if (limits.every(({ label, each }) => (label ?? each) === undefined)) return;
  const percents = percentsIn(limits).length;
  // What is about other facets has figures of its own.
  const parts = new Set(limits.map(facetsKey)).size;
  const most = HELD_ENDPOINTS_MAX / Math.max(1, percents / PERCENTS_HELD) / parts;
  if (endpoints <= most) return;
  throw new UserError(
    "too-many-endpoints",
    `the load test has ${endpoints} endpoints, and expressions on endpoints with ${percents} percentiles besides p50, p90, ` +
      `p95, p99 and p99.9 can be checked on at most ${Math.floor(most)}; check all endpoints together, or fewer percentiles`,
  );
}

const NOTHING = { checked: 0, failed: 0, judged: 0, thresholds: [] };

function wholeOf(loadTestId: string): ComparedPart {
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  return { loadTestId, selection: ALL_ENDPOINTS, ...whole };
}

function verdictOf(checked: CheckedLimit): VerdictJson["thresholds"][number] {
  const { limit, outcome, measured, comparison, possible, isOmitted, isShare, window } = checked;
  const { kind, policy } = limit;
  return {
    ...limitJson(limit),
    kind,
    outcome,
    fails: failsCheck(checked),
    measured,
    ...(possible && { possible: boundsJson(possible) }),
    isOmitted,
    ...(isShare && { isShare }),
    window,
    base: comparison?.base,
    value: comparison?.value,
    ...policy,
  };
}

/** A few hundred kB of JSON. */
const KEPT_MAX = 1000;

const JUDGED: ReadonlySet<LimitOutcome> = new Set(["kept", "broken", "unmeasured"]);

interface Ranked {
  readonly checked: CheckedLimit;
  readonly expression: number;
  /** 0: it fails; 1: it has no verdict or only warns; 2: it is kept. */
  readonly rank: number;
  /** How far it is beyond its bound, as a share of the bound; negative within it. */
  readonly excess: number;
}

/** Counts checked limits and keeps the worst thousand, in bounded memory. */
class WorstChecks {
  /** Number of all that were added. */
  checked = 0;
  /** Number of those that fail. */
  failed = 0;
  /** Number of those that have a verdict. */
  judged = 0;
  #kept: Ranked[] = [];

  /** `expression`: index of the expression that was checked. */
  add(checked: CheckedLimit, expression: number): void {
    const fails = failsCheck(checked);
    this.checked += 1;
    if (fails) this.failed += 1;
    if (fails || JUDGED.has(checked.outcome)) this.judged += 1;
    const rank = fails ? 0 : checked.outcome === "kept" ? 2 : 1;
    this.#kept.push({ checked, expression, rank, excess: excessOf(checked) });
    if (this.#kept.length >= 2 * KEPT_MAX) this.#kept = this.#worst();
  }

  /** Those that are kept, in the order of their expressions, the worst endpoint of each first. */
  list(): readonly CheckedLimit[] {
    return this.#worst()
      .toSorted((left, right) => left.expression - right.expression)
      .map(({ checked }) => checked);
  }

  #worst(): Ranked[] {
    const sorted = this.#kept.toSorted(
      // The difference of two infinite numbers is no number.
      (left, right) => left.rank - right.rank || right.excess - left.excess || 0,
    );
    return sorted.slice(0, KEPT_MAX);
  }
}

function excessOf({ limit, measured }: CheckedLimit): number {
  if (measured === undefined) return Infinity;
  const { bound } = limit;
  return (directionOf(limit) * (measured - bound)) / (Math.abs(bound) || 1);
}

/** 1 if more is worse. */
function directionOf({ comparison }: Limit): 1 | -1 {
  return comparison.startsWith(">") ? 1 : -1;
}
