/** The verdict on an endpoint: the service's, or that it fails more often. */

import type {
  ComparedEndpoint,
  ComparedRow,
  Comparison,
  TimeFigure,
  Verdict,
} from "../api/comparison.ts";

/** `failing`: more requests fail, and it became no slower. */
export type Kind = Verdict | "failing";

interface KindWords {
  readonly sign: string;
  readonly words: string;
}

/** Worst first. */
export const KINDS: Readonly<Record<Kind, KindWords>> = {
  slower: { sign: "▲", words: "slower" },
  failing: { sign: "!", words: "fails more" },
  new: { sign: "+", words: "new" },
  gone: { sign: "−", words: "gone" },
  faster: { sign: "▼", words: "faster" },
  inconclusive: { sign: "~", words: "inconclusive" },
  unchanged: { sign: "=", words: "unchanged" },
  tooFew: { sign: "?", words: "too few requests" },
  tooShort: { sign: "?", words: "too short" },
};

const ORDER = Object.keys(KINDS) as readonly Kind[];

/** The kind with this name. */
export function kindNamed(name: string | undefined): Kind | undefined {
  return ORDER.find((kind) => kind === name);
}

export function kindOf(row: ComparedRow): Kind {
  return failsMore(row) && row.verdict !== "slower" ? "failing" : row.verdict;
}

/** Whether more requests fail, beyond noise. */
export function failsMore({ errRate: { isSignificant, change = 0 } }: ComparedRow): boolean {
  return isSignificant === true && change > 0;
}

/** Number of endpoints of each kind present, the worst first. */
export function kindCounts(
  endpoints: readonly ComparedEndpoint[],
): readonly (readonly [kind: Kind, endpoints: number])[] {
  const groups = Map.groupBy(endpoints, kindOf);
  return ORDER.flatMap((kind) => {
    const count = groups.get(kind)?.length ?? 0;
    return count === 0 ? [] : [[kind, count] as const];
  });
}

/** Smaller time differences are no reason to act, however certain: docs/compare.md. */
const CHANGE_MIN = 0.05;

/** The verdict on a single time difference. */
export function judged({
  change = 0,
  isSignificant,
}: Comparison): "slower" | "faster" | "unchanged" {
  if (isSignificant !== true || Math.abs(change) < CHANGE_MIN) return "unchanged";
  return change > 0 ? "slower" : "faster";
}

const MEASURES = [
  ["shift", "shift"],
  ["avgLoadTime", "average"],
  ["p50", "p50"],
  ["p95", "p95"],
  ["p99", "p99"],
] as const;

/**
 * The measures that make a row slower or faster, in words; none if the displayed one is among them.
 */
export function otherMeasures(row: ComparedRow, shown: TimeFigure): readonly string[] {
  const { verdict } = row;
  if (verdict !== "slower" && verdict !== "faster") return [];
  const deciding = MEASURES.filter(([measure]) => judged(row[measure]) === verdict);
  const isShown = deciding.some(([measure]) => measure === shown);
  return isShown ? [] : deciding.map(([, name]) => name);
}

export function rankOf(kind: Kind): number {
  return ORDER.indexOf(kind);
}
