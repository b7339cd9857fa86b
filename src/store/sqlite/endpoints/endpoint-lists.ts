/** Cache of the endpoints of load tests, ordered by label. Numbers are assigned once and never change. */

import { compareLabels } from "../../../model/label.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { EndpointPages } from "../write-target.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import { UserError } from "../../../model/errors.ts";

const CACHED_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of an endpoint besides its label. */
const ENDPOINT_BYTES = 100;

/** Endpoints per read: one or two milliseconds. */
const ROWS_AT_ONCE = 512;

interface List {
  readonly sorted: readonly Endpoint[];
  /** The largest number in it. */
  readonly last: number | undefined;
  readonly bytes: number;
}

export class EndpointLists {
  readonly #numbers: EndpointPages;
  readonly #cached = new LruCache<number, List>(CACHED_BYTES_MAX);

  constructor(numbers: EndpointPages) {
    this.#numbers = numbers;
  }

  /** Returns all numbered endpoints, ascending by label. Throws `damaged-store`. */
  async sorted(loadTest: number): Promise<readonly Endpoint[]> {
    const cached = this.#cached.get(loadTest) ?? { sorted: [], last: undefined, bytes: 0 };
    const yielder = new Yielder();
    const runs: (readonly Endpoint[])[] = [cached.sorted];
    let { last, bytes } = cached;
    for (;;) {
      const page = await this.#numbers.page(loadTest, last, ROWS_AT_ONCE);
      runs.push(page.toSorted(byLabel));
      last = page.at(-1)?.number ?? last;
      bytes += page.reduce((sum, { label }) => sum + ENDPOINT_BYTES + 2 * label.length, 0);
      if (page.length < ROWS_AT_ONCE) break;
      await yielder.pass();
    }
    const sorted = await mergeRuns(runs, byLabel, yielder);
    if (sorted === cached.sorted) return sorted;
    if (bytes <= CACHED_BYTES_MAX) this.#cached.set(loadTest, { sorted, last, bytes }, bytes);
    return sorted;
  }
}

/** Throws `damaged-store`. */
function byLabel(left: Endpoint, right: Endpoint): number {
  const difference = compareLabels(left.label, right.label);
  const isTwice = difference === 0 && left.number !== right.number;
  return isTwice ? twice(left.label, [left.number, right.number]) : difference;
}

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
