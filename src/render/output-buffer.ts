import { writeAscii } from "./write-number.ts";

/** Bytes handed on at a time: large enough that the call costs nothing, small enough to pool. */
const CAPACITY_BYTES = 64 * 1024;

/** Room kept free at the end: more than a row, 64 points, an overview or an escaped label need. */
const MARGIN_BYTES = 8 * 1024;

const ENCODER = new TextEncoder();

/** The buffer that renderers write into, used over and over. Not safe for two answers at once. */
export class OutputBuffer {
  readonly #bytes = new Uint8Array(CAPACITY_BYTES);

  /** The same bytes, for the functions that write numbers. */
  readonly view = new DataView(this.#bytes.buffer);

  /** Where the next byte goes; writers move it. */
  end = 0;

  /** Whether `take` is due; as long as it is not, there is room for `MARGIN_BYTES` more. */
  get isFull(): boolean {
    return this.end > CAPACITY_BYTES - MARGIN_BYTES;
  }

  /** What was written since the last call. Valid until something is written again. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.end);
    this.end = 0;
    return written;
  }

  /** Writes text that holds ASCII alone. */
  ascii(text: string): void {
    this.end = writeAscii(this.view, this.end, text);
  }

  /** Writes `text` as a JSON string in UTF-8, quotes included. */
  jsonString(text: string): void {
    const json = JSON.stringify(text);
    const { read, written } = ENCODER.encodeInto(json, this.#bytes.subarray(this.end));
    if (read < json.length) throw new Error(`BUG: no room for a text of ${json.length} characters`);
    this.end += written;
  }
}
