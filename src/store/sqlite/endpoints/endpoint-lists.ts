/** Cache of the endpoints of load tests, ordered by label. Numbers are assigned once and never change. */

import { UserError } from "../../../model/errors.ts";
import { compareLabels } from "../../../model/label.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { EndpointPages } from "../write-target.ts";
import { Yielder } from "../../../concurrency/yielder.ts";

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
    const sorted = await mergeRuns(runs, yielder);
    if (sorted === cached.sorted) return sorted;
    await requireOnce(sorted, yielder);
    if (bytes <= CACHED_BYTES_MAX) this.#cached.set(loadTest, { sorted, last, bytes }, bytes);
    return sorted;
  }
}

function byLabel(left: Endpoint, right: Endpoint): number {
  return compareLabels(left.label, right.label);
}

/** Throws `damaged-store` if a label has two numbers, which the file does not prevent. */
async function requireOnce(sorted: readonly Endpoint[], yielder: Yielder): Promise<void> {
  for (const [at, { label, number }] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before?.label === label) {
      throw new UserError(
        "damaged-store",
        `label ${JSON.stringify(label)} has two numbers, ${before.number} and ${number}`,
      );
    }
    if (at % ROWS_AT_ONCE === 0) await yielder.pass();
  }
}

/** Merges sorted groups in pairs until one is left. */
async function mergeRuns(
  runs: readonly (readonly Endpoint[])[],
  yielder: Yielder,
): Promise<readonly Endpoint[]> {
  let left = runs.filter((run) => run.length > 0);
  while (left.length > 1) {
    const merged: (readonly Endpoint[])[] = [];
    for (let run = 0; run < left.length; run += 2) {
      merged.push(await mergeTwo(left[run] ?? [], left[run + 1] ?? [], yielder));
    }
    left = merged;
  }
  return left[0] ?? [];
}

async function mergeTwo(
  one: readonly Endpoint[],
  other: readonly Endpoint[],
  yielder: Yielder,
): Promise<readonly Endpoint[]> {
  const [lastOfOne, firstOfOther] = [one.at(-1), other[0]];
  if (lastOfOne === undefined || firstOfOther === undefined) return [...one, ...other];
  // Usual case: labels that arrive together are numbered in order.
  if (byLabel(lastOfOne, firstOfOther) < 0) return [...one, ...other];
  const merged: Endpoint[] = [];
  for (let [at, otherAt] = [0, 0]; at < one.length || otherAt < other.length;) {
    const [next, otherNext] = [one[at], other[otherAt]];
    const isOther = next === undefined || (otherNext !== undefined && byLabel(otherNext, next) < 0);
    merged.push((isOther ? otherNext : next) as Endpoint);
    if (isOther) otherAt += 1;
    else at += 1;
    if (merged.length % ROWS_AT_ONCE === 0) await yielder.pass();
  }
  return merged;
}
