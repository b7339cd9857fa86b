/** Thrown where bytes end before the value that they should hold, or hold what gob does not write. */
export class GobError extends Error {}

const utf8 = new TextDecoder();
const NUMBER_BYTES_MAX = 8;

/** Reads the numbers and texts of Go's gob encoding, one after the other. Throws `GobError`. */
export class GobBytes {
  /** Where the next value begins. */
  at: number;
  readonly #bytes: Uint8Array;
  readonly #to: number;

  /** What is read lies at `[from, to)`. */
  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.at = from;
    this.#to = to;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#to;
  }

  /**
   * A small number is one byte; a larger one the negated number of its bytes, then those, the highest
   * first. Beyond 2^53 it is not exact.
   */
  unsigned(): number {
    return Number(this.#unsigned());
  }

  /** The lowest bit tells whether the others are inverted. */
  signed(): number {
    const unsigned = this.#unsigned();
    return Number((unsigned & 1n) === 0n ? unsigned >> 1n : -(unsigned >> 1n) - 1n);
  }

  /** A length, and so many bytes: a view of them. */
  bytes(): Uint8Array {
    const length = this.unsigned();
    const from = this.at;
    if (length > this.#to - from) throw new GobError("bytes end too early");
    this.at = from + length;
    return this.#bytes.subarray(from, this.at);
  }

  text(): string {
    return utf8.decode(this.bytes());
  }

  #unsigned(): bigint {
    const first = this.#byte();
    if (first < 0x80) return BigInt(first);
    const length = 0x100 - first;
    if (length > NUMBER_BYTES_MAX) throw new GobError(`a number has ${length} bytes`);
    let value = 0n;
    for (let byte = 0; byte < length; byte++) value = (value << 8n) | BigInt(this.#byte());
    return value;
  }

  #byte(): number {
    if (this.isAtEnd) throw new GobError("a value ends too early");
    return this.#bytes[this.at++] as number;
  }
}
