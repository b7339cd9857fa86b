/** Answers that were sent, kept to be sent again as long as the data they were made of stay the same. */

/** Bytes of an answer as they went out, coding included. */
export interface KeptAnswer {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
  /** How many are reading it now; kept by who sends it. */
  readers: number;
}

/** Takes the pieces of one answer while it is sent. */
export interface AnswerKeeper {
  /** Copies the piece, unless too much is held already. */
  add(piece: Uint8Array): void;
  /** Keeps what was added, which is all of the answer. */
  finish(headers: KeptAnswer["headers"]): void;
  /** To be called always, at the end; after `finish` it does nothing. */
  drop(): void;
}

/** An answer may take this share of the cache, and those that are being sent as much together. */
const LARGEST_SHARE = 0.5;

/**
 * To copy a larger one takes a tenth of the time in which it is made: it is kept when it is asked for a
 * second time.
 */
const KEPT_AT_FIRST_BYTES_MAX = 1024 * 1024;
const ASKED_FOR_MAX = 256;

const KEEPS_NOTHING: AnswerKeeper = { add() {}, finish() {}, drop() {} };

/** What a small answer takes besides its bytes, roughly. */
const ENTRY_BYTES = 1024;

/**
 * Keeps the answers asked for last in a bounded number of bytes. A key has to say everything that the
 * bytes depend on.
 */
export class AnswerCache {
  readonly #bytesMax: number;
  /** The one used last stands last. */
  readonly #kept = new Map<string, KeptAnswer>();
  /** Large ones that were asked for, the last one last. */
  readonly #askedFor = new Set<string>();
  /** What is being sent and kept just now: others that get the same meanwhile need no copy of it. */
  readonly #beingKept = new Set<string>();
  /** Answers that gave way to others while somebody still reads them, however slowly. */
  readonly #lent = new Set<KeptAnswer>();
  #keptBytes = 0;
  #takenBytes = 0;

  /** 0: nothing is kept. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  find(key: string): KeptAnswer | undefined {
    const answer = this.#kept.get(key);
    if (answer === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    return answer;
  }

  /** For an answer that is being sent. A large one is kept at the second time only. */
  keeper(key: string): AnswerKeeper {
    if (this.#beingKept.has(key)) return KEEPS_NOTHING;
    this.#beingKept.add(key);
    const isAgain = this.#askedFor.has(key);
    let pieces: Buffer[] | undefined = [];
    let length = 0;
    const drop = (): void => {
      if (pieces === undefined) return;
      pieces = undefined;
      this.#beingKept.delete(key);
      this.#takenBytes -= length;
    };
    return {
      add: (piece) => {
        if (pieces === undefined) return;
        const mostBytes = this.#bytesMax * LARGEST_SHARE;
        const isTooMuch = this.#takenBytes + piece.length > mostBytes;
        if (isTooMuch || (length > KEPT_AT_FIRST_BYTES_MAX && !isAgain)) {
          this.#noteAskedFor(key);
          drop();
          return;
        }
        pieces.push(Buffer.from(piece));
        length += piece.length;
        this.#takenBytes += piece.length;
      },
      finish: (headers) => {
        if (pieces === undefined) return;
        const bytes = Buffer.concat(pieces);
        drop();
        this.#keep(key, { headers, bytes, readers: 0 });
      },
      drop,
    };
  }

  #noteAskedFor(key: string): void {
    this.#askedFor.add(key);
    const [oldest] = this.#askedFor;
    if (this.#askedFor.size > ASKED_FOR_MAX && oldest !== undefined) this.#askedFor.delete(oldest);
  }

  #keep(key: string, answer: KeptAnswer): void {
    this.#remove(key);
    // Slow readers of many answers are not to hold more memory than the cache may have.
    if (this.#lentBytes() > this.#bytesMax * (1 - LARGEST_SHARE)) return;
    this.#kept.set(key, answer);
    this.#keptBytes += weightOf(key, answer);
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= this.#bytesMax * (1 - LARGEST_SHARE)) break;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const answer = this.#kept.get(key);
    if (answer === undefined) return;
    this.#keptBytes -= weightOf(key, answer);
    this.#kept.delete(key);
    if (answer.readers > 0) this.#lent.add(answer);
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

function weightOf(key: string, { bytes }: KeptAnswer): number {
  return ENTRY_BYTES + 2 * key.length + bytes.length;
}
