/** Cache of the endpoints of load tests, ordered by label. Numbers are assigned once and never change. */

import { compareLabels } from "../../../model/label.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { EndpointPages } from "../write-target.ts";
import { mergeRuns, twice } from "./merge-runs.ts";
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
