import { grown } from "../../model/columns.ts";

/** Parts of a k6 sample, as indexes of `K6Parts`. */
export const TIME = 0;
export const VALUE = 1;
export const NAME = 2;
export const URL = 3;
export const EXPECTED = 4;
export const ERROR = 5;
export const STATUS = 6;
export const ERROR_CODE = 7;

const PARTS = 8;

/** Tags that are parts. */
export const PART_OF_TAG: ReadonlyMap<string, number> = new Map([
  ["name", NAME],
  ["url", URL],
  ["expected_response", EXPECTED],
  ["error", ERROR],
  ["error_code", ERROR_CODE],
  ["status", STATUS],
]);

/** Positions of the parts of a k6 sample. Reused from row to row. */
export class K6Parts {
  bytes: Uint8Array = new Uint8Array(0);
  readonly from = new Int32Array(PARTS);
  readonly to = new Int32Array(PARTS);
  #own: Uint8Array;
  #ownLength = 0;

  /** Initial size for `put`; grows. */
  constructor(ownBytes = 512) {
    this.#own = new Uint8Array(ownBytes);
  }

  /** Resets for a sample in `bytes`. */
  beginIn(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.from.fill(0);
    this.to.fill(0);
  }

  /** Resets for a sample filled by `put`. */
  begin(): void {
    this.beginIn(this.#own);
    this.#ownLength = 0;
  }

  /** Says where a part of the sample in `bytes` is. */
  place(part: number, from: number, to: number): void {
    this.from[part] = from;
    this.to[part] = to;
  }

  put(part: number, contents: Uint8Array): void {
    const start = this.#ownLength;
    const end = start + contents.length;
    if (end > this.#own.length) {
      this.#own = grown(this.#own, end);
      this.bytes = this.#own;
    }
    this.#own.set(contents, start);
    this.place(part, start, end);
    this.#ownLength = end;
  }

  has(part: number): boolean {
    return (this.from[part] as number) < (this.to[part] as number);
  }

  /** The name, or the URL if there is none. */
  get labelPart(): number {
    return this.has(NAME) ? NAME : URL;
  }

  text(part: number): string {
    return new TextDecoder().decode(this.bytes.subarray(this.from[part], this.to[part]));
  }
}
