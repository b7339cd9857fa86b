/** The parts of a k6 sample that matter here, as indices of `K6Parts`. */
export const TIME = 0;
export const VALUE = 1;
export const NAME = 2;
export const URL = 3;
export const EXPECTED = 4;
export const ERROR = 5;
export const STATUS = 6;
export const ERROR_CODE = 7;

const PARTS = 8;

/** Where the parts of one k6 sample stand, whichever file it comes from. Reused from row to row. */
export class K6Parts {
  bytes: Uint8Array = new Uint8Array(0);
  readonly from = new Int32Array(PARTS);
  readonly to = new Int32Array(PARTS);
  #own: Uint8Array;
  #ownLength = 0;
  #keptLength = 0;

  /** `ownBytes` is room for what is given to `put`; it grows. */
  constructor(ownBytes = 4096) {
    this.#own = new Uint8Array(ownBytes);
  }

  /** Begins a sample whose parts stand in `bytes`; none is there yet. */
  beginIn(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.from.fill(0);
    this.to.fill(0);
  }

  /** Begins a sample whose parts will be given to `put`. */
  begin(): void {
    this.beginIn(this.#own);
    this.#ownLength = 0;
  }

  /** Keeps the parts that were put until now, for `again`. */
  keep(): void {
    this.#keptLength = this.#ownLength;
  }

  /** Begins a sample that has the parts that were kept; the others are to be put anew. */
  again(): void {
    this.#ownLength = this.#keptLength;
  }

  /** Copies the bytes of a part. */
  put(part: number, contents: Uint8Array): void {
    // Claimed first: that can put other memory in the place of this one.
    const start = this.#claim(part, contents.length);
    this.#own.set(contents, start);
  }

  /** Copies the few bytes of a part that are `[from, to)` of others. */
  putRange(part: number, bytes: Uint8Array, from: number, to: number): void {
    const start = this.#claim(part, to - from);
    for (let at = from; at < to; at++) this.#own[start + at - from] = bytes[at] as number;
  }

  /** Whether the part is there and not empty. */
  has(part: number): boolean {
    return (this.from[part] as number) < (this.to[part] as number);
  }

  /** The part that holds the label: the name, or the URL where there is none. */
  get labelPart(): number {
    return this.has(NAME) ? NAME : URL;
  }

  /** The part as text, for messages and rare cases. */
  text(part: number): string {
    return new TextDecoder().decode(this.bytes.subarray(this.from[part], this.to[part]));
  }

  /** Makes room for a part, and answers where it begins. */
  #claim(part: number, length: number): number {
    const start = this.#ownLength;
    const end = start + length;
    if (end > this.#own.length) {
      const larger = new Uint8Array(end * 2);
      larger.set(this.#own);
      this.#own = larger;
      this.bytes = larger;
    }
    this.from[part] = start;
    this.to[part] = end;
    this.#ownLength = end;
    return start;
  }
}
