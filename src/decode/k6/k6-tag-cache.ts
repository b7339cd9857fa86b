import { ByteTable } from "../bytes/byte-table.ts";

/** Tags of a request. */
export interface K6RequestTags {
  readonly label: number;
  /** Failed, as far as the tags tell. */
  readonly failed: boolean;
  /** Whether by `expected_response` or `error`, not by the status alone. */
  readonly isMarked: boolean;
  /** `undefined` if there is none. */
  readonly status: number | undefined;
  /** Set for requests without a response and some others; mostly empty. */
  readonly errorCode: string;
  readonly error: string;
}

/** Memory limit; then the cache is cleared. */
const CACHED_BYTES_MAX = 16 * 1024 * 1024;
/** Requests skipped per lookup while tags rarely repeat. */
const REST_SHARE = 16;
/** Overhead per entry. */
const TAGS_BYTES = 128;

/** Caches tags by their bytes: a load test repeats them. */
export class K6TagCache {
  readonly #table = new ByteTable();
  #tags: K6RequestTags[] = [];
  /** Hits since the last clear. */
  #found = 0;
  /** Requests left to skip. */
  #rest = 0;
  #isLookedUp = true;

  /** Whether to skip the lookup because recent tags were new. Must be called once per request, before `at`. */
  isResting(): boolean {
    this.#isLookedUp = this.#rest === 0;
    if (!this.#isLookedUp) this.#rest -= 1;
    return !this.#isLookedUp;
  }

  /** Cached tags at `[from, to)`. */
  at(bytes: Uint8Array, from: number, to: number): K6RequestTags | undefined {
    const number = this.#table.find(bytes, from, to);
    if (number === undefined) return undefined;
    this.#found += 1;
    return this.#tags[number];
  }

  /** Caches the tags of the last `at`, if it was called and missed. */
  learn(bytes: Uint8Array, [from, to]: readonly [number, number], tags: K6RequestTags): void {
    if (!this.#isLookedUp) return;
    const knownBytes = this.#table.bytes + this.#table.count * TAGS_BYTES;
    if (knownBytes > CACHED_BYTES_MAX) {
      if (this.#found < this.#table.count) this.#rest = this.#table.count * REST_SHARE;
      this.forget();
    }
    this.#table.add(bytes, from, to);
    this.#tags.push(tags);
  }

  forget(): void {
    this.#table.clear();
    this.#tags = [];
    this.#found = 0;
  }
}
