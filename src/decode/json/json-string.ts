const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** Finds where strings of JSON end, also such as arrive in pieces. */
export class JsonStringEnd {
  /** Whether the string scanned last holds a backslash. */
  hasEscapes = false;
  #isEscaping = false;

  /** Forgets the string before. To be called before each one. */
  begin(): void {
    this.hasEscapes = false;
    this.#isEscaping = false;
  }

  /**
   * Where the closing quote stands in `[from, to)`, or the first control character, which no string
   * may hold; `to` where there is neither: scanning goes on there.
   */
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
