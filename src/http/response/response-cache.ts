import { LruCache } from "../../concurrency/lru-cache.ts";

/** A response body as sent, compression included. */
export interface CachedResponse {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  /** Responses being sent from it; maintained by the sender. */
  readers: number;
}

/** Collects the chunks of a response while it is sent. */
export interface CacheWriter {
  /** Copies the chunk, unless the limit is exceeded. */
  add(chunk: Uint8Array): void;
  /** Caches the chunks added, which must be the complete body. */
  finish(headers: CachedResponse["headers"]): void;
  /** Must be called at the end. No effect after `finish`. */
  drop(): void;
}

/**
 * The share of the cache that one response may take, and that all responses being collected may take
 * together.
 */
const LARGEST_SHARE = 0.5;

/**
 * Copying a larger response takes a tenth of the time of making it: it is cached at its second request.
 */
const CACHED_AT_FIRST_BYTES_MAX = 1024 * 1024;
const ASKED_FOR_MAX = 256;

const CACHES_NOTHING: CacheWriter = { add() {}, finish() {}, drop() {} };

/** Overhead of an entry besides its bytes, roughly. */
const ENTRY_BYTES = 1024;

/**
 * An LRU cache bounded in bytes. A key must contain everything that the bytes depend on.
 */
export class ResponseCache {
  /** Limit of the cached bytes, and again of those being collected or still read after eviction. */
  readonly #shareMax: number;
  readonly #cached: LruCache<string, CachedResponse>;
  /** Large responses requested once. */
  readonly #askedFor = new LruCache<string, true>(ASKED_FOR_MAX);
  /** Keys being collected at present: simultaneous requests need no second copy. */
  readonly #beingCached = new Set<string>();
  /** Evicted responses that are still being sent. */
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

  /** A writer for a response being sent. */
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
    // Slow readers of evicted responses must not hold more memory than the cache may.
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

/** Not `Buffer.concat`: it allocates small copies in slabs of 64 KiB, and each copy keeps its slab alive. */
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
