import { createHash } from "node:crypto";

/** What identifies the bytes of a source, as they were given. */
export interface Digests {
  readonly sizeBytes: number;
  /** SHA-256, 64 hex digits. */
  readonly sha256: string;
  /** SHA-256 of the first N bytes, for every N asked for that the source is long enough for. */
  readonly sha256OfFirst: ReadonlyMap<number, string>;
}

/** SHA-256 of a source and of its beginnings of given lengths, to recognise a file that has grown. */
export class SourceDigest {
  readonly #hash = createHash("sha256");
  readonly #sha256OfFirst = new Map<number, string>();
  /** Lengths still ahead, ascending. */
  readonly #lengths: number[];
  #sizeBytes = 0;

  constructor(lengths: readonly number[]) {
    this.#lengths = [...new Set(lengths)].toSorted((left, right) => left - right);
  }

  update(bytes: Uint8Array): void {
    let at = 0;
    while (this.#lengths[0] !== undefined && this.#lengths[0] <= this.#sizeBytes + bytes.length) {
      const length = this.#lengths.shift() as number;
      this.#hash.update(bytes.subarray(at, length - this.#sizeBytes));
      at = length - this.#sizeBytes;
      this.#sha256OfFirst.set(length, this.#hash.copy().digest("hex"));
    }
    this.#hash.update(bytes.subarray(at));
    this.#sizeBytes += bytes.length;
  }

  /** The digests of what was given; nothing can be added afterwards. */
  finish(): Digests {
    return {
      sizeBytes: this.#sizeBytes,
      sha256: this.#hash.digest("hex"),
      sha256OfFirst: this.#sha256OfFirst,
    };
  }
}
