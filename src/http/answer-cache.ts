/** Answers that were sent, kept to be sent again as long as the data they were made of stay the same. */

/** Bytes of an answer as they went out, coding included. */
export interface KeptAnswer {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Uint8Array;
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

  /** For an answer that is being sent. */
  keeper(key: string): AnswerKeeper {
    let pieces: Buffer[] | undefined = [];
    let length = 0;
    const drop = (): void => {
      if (pieces === undefined) return;
      pieces = undefined;
      this.#takenBytes -= length;
    };
    return {
      add: (piece) => {
        if (pieces === undefined) return;
        const mostBytes = this.#bytesMax * LARGEST_SHARE;
        if (this.#takenBytes + piece.length > mostBytes) {
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
        this.#keep(key, { headers, bytes });
      },
      drop,
    };
  }

  #keep(key: string, answer: KeptAnswer): void {
    this.#remove(key);
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
  }
}

function weightOf(key: string, { bytes }: KeptAnswer): number {
  return ENTRY_BYTES + 2 * key.length + bytes.length;
}
