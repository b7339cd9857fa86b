import { BACKSLASH, QUOTE } from "../bytes/ascii.ts";

const FIRST_PRINTABLE = 0x20;

/** Finds the end of JSON strings that may arrive in chunks. */
export class JsonStringEnd {
  hasEscapes = false;
  #isEscaping = false;

  /** Must be called before each string. */
  begin(): void {
    this.hasEscapes = false;
    this.#isEscaping = false;
  }

  /** Position of the closing quote or of a control character in `[from, to)`; `to` if there is neither. */
  find(bytes: Uint8Array, from: number, to: number): number {
    let isEscaping = this.#isEscaping;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte < FIRST_PRINTABLE) return at;
      if (isEscaping) {
        isEscaping = false;
      } else if (byte === BACKSLASH) {
        isEscaping = true;
        this.hasEscapes = true;
      } else if (byte === QUOTE) {
        this.#isEscaping = false;
        return at;
      }
    }
    this.#isEscaping = isEscaping;
    return to;
  }
}
