import { type CheckedLimit, failsCheck, type Limit, type LimitOutcome } from "../check/limit.ts";

/** A few hundred kB of JSON. */
const KEPT_MAX = 1000;

const JUDGED: ReadonlySet<LimitOutcome> = new Set(["kept", "broken", "unmeasured"]);

interface Ranked {
  readonly checked: CheckedLimit;
  /** Index of its expression. */
  readonly expression: number;
  /** 0: it fails; 1: it has no verdict or only warns; 2: it is kept. */
  readonly rank: number;
  /** How far it is beyond its bound, as a share of the bound; negative within it. */
  readonly excess: number;
}

/** Counts checked limits and keeps the worst thousand, in bounded memory. */
export class WorstChecks {
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
