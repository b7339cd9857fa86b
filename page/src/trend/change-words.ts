/** The meaning of a change, in words with a sign: colour alone is not enough. */

import type { TrendChange, TrendFigure } from "../api/trend.ts";
import { change, failureChange } from "../format/changes.ts";
import { count, duration, type Quantity, share } from "../format/numbers.ts";

interface ChangeWords {
  readonly sign: string;
  readonly words: string;
  /** CSS class with its colour. */
  readonly kind: "slower" | "faster" | "failing" | "neutral";
}

/** Change of a figure. More or fewer requests are neither better nor worse. */
export function wordsOf({ figure, before, after }: TrendChange): ChangeWords {
  const isMore = after > before;
  switch (figure) {
    case "count":
      return { sign: isMore ? "+" : "−", words: isMore ? "more" : "fewer", kind: "neutral" };
    case "errRate":
      return isMore
        ? { sign: "!", words: "fails more", kind: "failing" }
        : { sign: "▼", words: "fails less", kind: "faster" };
    case "avgLoadTime":
    case "p50":
    case "p95":
    case "p99":
      return isMore
        ? { sign: "▲", words: "slower", kind: "slower" }
        : { sign: "▼", words: "faster", kind: "faster" };
    default:
      throw new Error(`BUG: no words for ${JSON.stringify(figure satisfies never)}`);
  }
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
  switch (figure) {
    case "count":
      return { digits: count(Math.round(value)), unit: "" };
    case "errRate":
      return share(value);
    case "avgLoadTime":
    case "p50":
    case "p95":
    case "p99":
      return duration(value);
    default:
      throw new Error(`BUG: no quantity of ${JSON.stringify(figure satisfies never)}`);
  }
}

/** Relative change: `+49 %`, `×12`, `from 0`. */
export function sizeOf({ figure, before, after, change: relative }: TrendChange): Quantity {
  if (figure === "errRate") return failureChange(before, after) ?? NO_SIZE;
  return relative === undefined ? { digits: "from 0", unit: "" } : change(relative);
}

const NO_SIZE: Quantity = { digits: "0", unit: "%" };

/** A level of so few load tests may turn out to be outliers. */
const LEVEL_MIN = 3;

export function mayBeOutlier({ loadTestsAfter }: TrendChange): boolean {
  return loadTestsAfter < LEVEL_MIN;
}
