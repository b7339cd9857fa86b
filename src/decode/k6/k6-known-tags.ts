import { ByteTable } from "../bytes/byte-table.ts";

/** What the tags of a request say of it. */
export interface K6RequestTags {
  readonly label: number;
  /** Whether it has failed, as far as the tags tell. */
  readonly failed: boolean;
  /** Whether that is a mark of its own (`expected_response`, `error`), and not the status alone. */
  readonly isMarked: boolean;
  /** `undefined` where there is none. */
  readonly status: number | undefined;
  /** What k6 says about a request without an answer, and about many with one; mostly empty. */
  readonly errorCode: string;
  readonly error: string;
}

/** Tags that are known take at most about so much memory; then all are forgotten and learned again. */
const KNOWN_BYTES_MAX = 16 * 1024 * 1024;
/** After tags of which most never came again, so many times as many requests are not looked up. */
const REST_SHARE = 16;
/** What tags take besides the bytes with which they are written. */
const TAGS_BYTES = 128;

/**
 * What the tags of requests say, by the bytes with which they are written: a load test writes the
 * same ones again and again.
 */
export class K6KnownTags {
  readonly #table = new ByteTable();
  #tags: K6RequestTags[] = [];
  /** How often tags were known since they were last forgotten. */
  #found = 0;
  /** Requests that are not looked up before the next one that is. */
  #rest = 0;
  #isLookedUp = true;

  /**
   * Whether the tags of the present request need not be looked up, since most of those before were
   * new. To be asked once for each request, before `at`.
   */
  isResting(): boolean {
    this.#isLookedUp = this.#rest === 0;
    if (!this.#isLookedUp) this.#rest -= 1;
    return !this.#isLookedUp;
  }

  /** What the tags at `[from, to)` say, if that was learned. */
  at(bytes: Uint8Array, from: number, to: number): K6RequestTags | undefined {
    const number = this.#table.find(bytes, from, to);
    if (number === undefined) return undefined;
    this.#found += 1;
    return this.#tags[number];
  }

  /** Learns what the tags say that `at` was asked for last, and did not know, if it was asked. */
  learn(bytes: Uint8Array, [from, to]: readonly [number, number], tags: K6RequestTags): void {
    if (!this.#isLookedUp) return;
    const knownBytes = this.#table.bytes + this.#table.count * TAGS_BYTES;
    if (knownBytes > KNOWN_BYTES_MAX) {
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
