import type { OutputBuffer, EndpointMetrics } from "./renderer.ts";
import { type Stamp, createStamp, writeStamp } from "./overview.ts";
import { writeInteger, writeThreeDigits } from "./write-number.ts";

/**
 * Writes x values with the text around them. Only the last three digits of neighbouring seconds differ, so that
 * the rest is one stamp, renewed every 1,000 seconds (half the time of a response).
 */
export class Pen {
  readonly #beforeY: Stamp;
  #beforeX: string;
  #thousands = 0;
  #stamp: Stamp;

  /** Both texts are ASCII, of at most 8 characters. */
  constructor(beforeX: string, beforeY: string) {
    this.#beforeY = createStamp(beforeY);
    this.#beforeX = beforeX;
    this.#stamp = createStamp(beforeX);
  }

  /** At most 8 ASCII characters. */
  set beforeX(text: string) {
    this.#beforeX = text;
    this.#thousands = 0;
    this.#stamp = createStamp(text);
  }

  /** Writes the text before x, x, and the text before y. */
  writeX(view: DataView, at: number, x: number): number {
    const thousands = (x / 1000) | 0;
    if (thousands !== this.#thousands) this.#turnTo(thousands);
    const afterStamp = writeStamp(view, at, this.#stamp);
    const afterX =
      thousands === 0
        ? writeInteger(view, afterStamp, x)
        : writeThreeDigits(view, afterStamp, x - thousands * 1000);
    // Only the first word has text.
    view.setFloat64(afterX, this.#beforeY.head, true);
    return afterX + this.#beforeY.length;
  }

  #turnTo(thousands: number): void {
    this.#thousands = thousands;
    this.#stamp = createStamp(thousands === 0 ? this.#beforeX : `${this.#beforeX}${thousands}`);
  }
}

/** Writes hash, label, and everything up to the value of `data`. */
export function writeItemHead(endpoint: EndpointMetrics, output: OutputBuffer): void {
  output.ascii(`{"hash":"${endpoint.hash}","label":`);
  output.jsonString(endpoint.label);
  output.ascii(',"data":');
}
