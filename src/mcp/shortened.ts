import { z } from "zod";

/** How many items an answer has at most, so that it stays short enough to be read by a model. */
export function limit(usual: number, most: number) {
  return z.int().min(1).max(most).default(usual).describe("items in the answer");
}

/** The first items, and how many there are behind them. */
export function shortened<Item>(items: readonly Item[], max: number) {
  return { shown: items.slice(0, max), notShown: Math.max(0, items.length - max) };
}
