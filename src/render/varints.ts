/** Integers up to 2^53 - 1 as LEB128. */

const LOW_BITS = 0x7f;
const GOES_ON = 0x80;
/** Numbers below it fit bitwise operators. */
const SMALL = 2 ** 31;
const BYTES_MAX = 8;
const DOUBLED_BELOW = 2 ** 51;

export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** Writes an integer from 0 to 2^53 - 1. */
  write(value: number): void {
    if (this.#length + BYTES_MAX > this.#bytes.length) this.#grow();
    let rest = value;
    for (; rest >= SMALL; rest = Math.floor(rest / GOES_ON)) this.#push((rest % GOES_ON) | GOES_ON);
    for (; rest >= GOES_ON; rest >>>= 7) this.#push((rest & LOW_BITS) | GOES_ON);
    this.#push(rest);
  }

  /** Writes an integer from -(2^53 - 1) to 2^53 - 1; those near 0 are short. */
  writeSigned(value: number): void {
    if (Math.abs(value) < DOUBLED_BELOW) return this.write(value < 0 ? -2 * value : 2 * value + 1);
    // Doubling would not be exact: sign and size are separate.
    this.write(0);
    this.write(value < 0 ? 1 : 0);
    this.write(Math.abs(value));
  }

  /** Writes how far each integer is from the one before. */
  writeSteps(column: Iterable<number>): void {
    let last = 0;
    for (const value of column) {
      this.writeSigned(value - last);
      last = value;
    }
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  read(): number {
    let [value, place] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("unexpected end of data within a number");
      value += (byte & LOW_BITS) * place;
      if (byte < GOES_ON) return value;
      place *= GOES_ON;
    }
  }

  readSigned(): number {
    const value = this.read();
    if (value > 0) return value % 2 === 0 ? -value / 2 : (value - 1) / 2;
    const isNegative = this.read() === 1;
    return isNegative ? -this.read() : this.read();
  }

  readSteps(count: number): Float64Array {
    let last = 0;
    return Float64Array.from({ length: count }, () => (last += this.readSigned()));
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }
}
