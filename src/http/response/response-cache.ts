/** Answers that were sent, cached to be sent again as long as the data they were made of stay the same. */

import { LruCache } from "../../concurrency/lru-cache.ts";

/** Bytes of an answer as they went out, coding included. */
export interface CachedResponse {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  /** How many are reading it now; counted by who sends it. */
  readers: number;
}

/** Takes the chunks of one answer while it is sent. */
export interface CacheWriter {
  /** Copies the chunk, unless too much is held already. */
  add(chunk: Uint8Array): void;
  /** Keeps what was added, which is all of the answer. */
  finish(headers: CachedResponse["headers"]): void;
  /** Must be called at the end. Does nothing after `finish`. */
  drop(): void;
}

/** An answer may take this share of the cache, and those that are being sent as much together. */
const LARGEST_SHARE = 0.5;

/**
 * To copy a larger one takes a tenth of the time in which it is made: it is cached when it is asked for a
 * second time.
 */
const CACHED_AT_FIRST_BYTES_MAX = 1024 * 1024;
const ASKED_FOR_MAX = 256;

const CACHES_NOTHING: CacheWriter = { add() {}, finish() {}, drop() {} };

/** What a small answer takes besides its bytes, roughly. */
const ENTRY_BYTES = 1024;

/**
 * Keeps the answers asked for last in a bounded number of bytes. A key has to say everything that the
 * bytes depend on.
 */
export class ResponseCache {
  /** Of the answers that are cached, and as much again of those that are being sent or lent. */
  readonly #shareMax: number;
  readonly #cached: LruCache<string, CachedResponse>;
  /** Large ones that were asked for. */
  readonly #askedFor = new LruCache<string, true>(ASKED_FOR_MAX);
  /** What is being sent and cached just now: others that get the same meanwhile need no copy of it. */
  readonly #beingCached = new Set<string>();
  /** Answers that gave way to others while somebody still reads them, however slowly. */
  readonly #lent = new Set<CachedResponse>();
  #takenBytes = 0;

  /** 0: nothing is cached. */
  constructor(bytesMax: number) {
    this.#shareMax = bytesMax * LARGEST_SHARE;
    this.#cached = new LruCache(bytesMax - this.#shareMax, (answer) => {
      if (answer.readers > 0) this.#lent.add(answer);
    });
  }

  find(key: string): CachedResponse | undefined {
    return this.#cached.get(key);
  }

  /** For an answer that is being sent. A large one is cached at the second time only. */
  writer(key: string): CacheWriter {
    if (this.#beingCached.has(key)) return CACHES_NOTHING;
    this.#beingCached.add(key);
    const isAgain = this.#askedFor.get(key) === true;
    let chunks: Uint8Array[] | undefined = [];
    let length = 0;
    const drop = (): void => {
      if (chunks === undefined) return;
      chunks = undefined;
      this.#beingCached.delete(key);
      this.#takenBytes -= length;
    };
    return {
      add: (chunk) => {
        if (chunks === undefined) return;
        const isTooMuch = this.#takenBytes + chunk.length > this.#shareMax;
        if (isTooMuch || (length > CACHED_AT_FIRST_BYTES_MAX && !isAgain)) {
          this.#askedFor.set(key, true);
          drop();
          return;
        }
        chunks.push(ownCopy([chunk], chunk.length));
        length += chunk.length;
        this.#takenBytes += chunk.length;
      },
      finish: (headers) => {
        if (chunks === undefined) return;
        const bytes = ownCopy(chunks, length);
        drop();
        this.#cache(key, { headers, bytes, readers: 0 });
      },
      drop,
    };
  }

  #cache(key: string, answer: CachedResponse): void {
    this.#cached.delete(key);
    const weight = weightOf(key, answer);
    // Slow readers of many answers are not to hold more memory than the cache may have.
    if (weight > this.#shareMax || this.#lentBytes() > this.#shareMax) return;
    this.#cached.set(key, answer, weight);
  }

  #lentBytes(): number {
    let bytes = 0;
    for (const answer of this.#lent) {
      if (answer.readers === 0) this.#lent.delete(answer);
      else bytes += answer.bytes.length;
    }
    return bytes;
  }
}

/** Not `Buffer.concat`: it takes small copies from slabs of 64 KiB, which one of them keeps alive. */
function ownCopy(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const copy = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    copy.set(chunk, at);
    at += chunk.length;
  }
  return copy;
}

function weightOf(key: string, { bytes }: CachedResponse): number {
  return ENTRY_BYTES + 2 * key.length + bytes.length;
}
