import { writeAscii } from "./write-number.ts";

/** Bytes per chunk. */
const CAPACITY_BYTES = 64 * 1024;

/** Room kept free at the end: enough for a row, 64 points, an overview or an escaped label. */
const MARGIN_BYTES = 8 * 1024;

const ENCODER = new TextEncoder();

/** A reused buffer for renderers. Not safe for two responses at once. */
export class OutputBuffer {
  readonly #bytes = new Uint8Array(CAPACITY_BYTES);

  readonly view = new DataView(this.#bytes.buffer);

  /** Write position; writers move it. */
  end = 0;

  /** Whether `take` is due; otherwise `MARGIN_BYTES` are free. */
  get isFull(): boolean {
    return this.end > CAPACITY_BYTES - MARGIN_BYTES;
  }

  /** Returns the bytes since the last call; valid until the next write. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.end);
    this.end = 0;
    return written;
  }

  ascii(text: string): void {
    this.end = writeAscii(this.view, this.end, text);
  }

  jsonString(text: string): void {
    const json = JSON.stringify(text);
    const { read, written } = ENCODER.encodeInto(json, this.#bytes.subarray(this.end));
    if (read < json.length) throw new Error(`BUG: no room for a text of ${json.length} characters`);
    this.end += written;
  }
}
