/** The meaning of a change, in words with a sign: colour alone is not enough. */

import type { TrendChange, TrendFigure } from "../api/trend.ts";
import { change, failureChange, inWords } from "../format/changes.ts";
import { count, duration, type Quantity, share } from "../format/numbers.ts";

interface ChangeWords {
  readonly sign: string;
  readonly words: string;
  /** CSS class with its colour. */
  readonly kind: "slower" | "faster" | "failing" | "neutral";
}

const SLOWER: ChangeWords = { sign: "▲", words: "slower", kind: "slower" };
const FASTER: ChangeWords = { sign: "▼", words: "faster", kind: "faster" };

/** If a figure has grown, else if it has fallen. More or fewer requests are neither better nor worse. */
const WORDS: Readonly<Record<TrendFigure, readonly [more: ChangeWords, less: ChangeWords]>> = {
  count: [
    { sign: "+", words: "more", kind: "neutral" },
    { sign: "−", words: "fewer", kind: "neutral" },
  ],
  errRate: [
    { sign: "!", words: "fails more", kind: "failing" },
    { sign: "▼", words: "fails less", kind: "faster" },
  ],
  avgLoadTime: [SLOWER, FASTER],
  p50: [SLOWER, FASTER],
  p95: [SLOWER, FASTER],
  p99: [SLOWER, FASTER],
};

export function wordsOf({ figure, before, after }: TrendChange): ChangeWords {
  return WORDS[figure][after > before ? 0 : 1];
}

export const FIGURE_NAMES: Readonly<Record<TrendFigure, string>> = {
  count: "requests",
  errRate: "failed",
  avgLoadTime: "average",
  p50: "p50",
  p95: "p95",
  p99: "p99",
};

export function quantityOf(figure: TrendFigure, value: number): Quantity {
  if (figure === "count") return { digits: count(Math.round(value)), unit: "" };
  return figure === "errRate" ? share(value) : duration(value);
}

/** Relative change: `+49 %`, `×12`, `from 0`. */
export function sizeOf({ figure, before, after, change: relative }: TrendChange): Quantity {
  if (figure === "errRate") return failureChange(before, after) ?? NO_SIZE;
  return relative === undefined ? { digits: "from 0", unit: "" } : change(relative);
}

const NO_SIZE: Quantity = { digits: "0", unit: "%" };

/** Changes behind the words of the first one, which are not repeated: `GET /a +41 %, GET /b fails more ×3`. */
export function changesText(changes: readonly TrendChange[]): string {
  const [first] = changes;
  const texts = changes.map((each) => {
    const { words } = wordsOf(each);
    const own = first === undefined || words === wordsOf(first).words ? [] : [words];
    return [each.label ?? "all endpoints", ...own, inWords(sizeOf(each))].join(" ");
  });
  return texts.join(", ");
}

/** A level of so few load tests may turn out to be outliers. */
const LEVEL_MIN = 3;

export function mayBeOutlier({ loadTestsAfter }: TrendChange): boolean {
  return loadTestsAfter < LEVEL_MIN;
}
