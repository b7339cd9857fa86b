import type { Yielder } from "../../../concurrency/yielder.ts";
import { UserError } from "../../../model/errors.ts";

/** Items merged before others get their turn: some milliseconds. */
const ITEMS_AT_ONCE = 2048;

type Compare<Item> = (left: Item, right: Item) => number;

/** Merges sorted runs in pairs until one is left. */
export async function mergeRuns<Item>(
  runs: readonly (readonly Item[])[],
  compare: Compare<Item>,
  yielder: Yielder,
): Promise<readonly Item[]> {
  let left = runs.filter((run) => run.length > 0);
  while (left.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let run = 0; run < left.length; run += 2) {
      merged.push(await mergeTwo(left[run] ?? [], left[run + 1] ?? [], compare, yielder));
    }
    left = merged;
  }
  return left[0] ?? [];
}

async function mergeTwo<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: Compare<Item>,
  yielder: Yielder,
): Promise<readonly Item[]> {
  const [lastOfOne, firstOfOther] = [one.at(-1), other[0]];
  if (lastOfOne === undefined || firstOfOther === undefined) return one;
  // Usual case: labels that arrive together are numbered in order.
  if (compare(lastOfOne, firstOfOther) < 0) return [...one, ...other];
  const merged: Item[] = [];
  let [at, otherAt] = [0, 0];
  while (at < one.length || otherAt < other.length) {
    const [next, otherNext] = [one[at], other[otherAt]];
    const isOther = next === undefined || (otherNext !== undefined && compare(otherNext, next) < 0);
    merged.push((isOther ? otherNext : next) as Item);
    if (isOther) otherAt += 1;
    else at += 1;
    if (merged.length % ITEMS_AT_ONCE === 0) await yielder.pass();
  }
  return merged;
}

/** Throws `damaged-store`: the file does not prevent a label with two numbers. Whatever sorts labels compares them. */
export function twice(label: string, numbers: readonly number[]): never {
  const both = numbers.toSorted((left, right) => left - right).join(" and ");
  throw new UserError("damaged-store", `label ${JSON.stringify(label)} has two numbers, ${both}`);
}
