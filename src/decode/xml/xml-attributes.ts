import { AMPERSAND, APOSTROPHE, BLANK, EQUALS, QUOTE } from "../bytes/ascii.ts";

/** Iterates over the attributes of a tag; skips anything but `name="value"`. */
export class XmlAttributes {
  /** Bounds of the current name and value, without quotes, as written. */
  nameFrom = 0;
  nameTo = 0;
  valueFrom = 0;
  valueTo = 0;
  /** Whether the value has references, tabs or line ends, and so is not as written. */
  isEscaped = false;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #to = 0;

  /** Starts with the tag at `[from, to)`; returns where its name ends. */
  begin(bytes: Uint8Array, from: number, to: number): number {
    this.#bytes = bytes;
    this.#to = to;
    this.#at = this.#endOfWord(from);
    return this.#at;
  }

  /** Returns `false` if there are no more attributes. */
  next(): boolean {
    while (this.#at < this.#to) {
      this.nameFrom = this.#skipBlanks(this.#at);
      this.nameTo = this.#endOfWord(this.nameFrom);
      const equals = this.#skipBlanks(this.nameTo);
      const open = this.#skipBlanks(equals + 1);
      const quote = this.#byte(open);
      if (this.#byte(equals) === EQUALS && (quote === QUOTE || quote === APOSTROPHE)) {
        this.valueFrom = open + 1;
        this.valueTo = this.#find(quote, open + 1);
        this.#at = this.valueTo + 1;
        return true;
      }
      this.#at = Math.max(this.nameTo, this.#at + 1);
    }
    return false;
  }

  #byte(at: number): number | undefined {
    return at < this.#to ? this.#bytes[at] : undefined;
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (at < this.#to && (this.#bytes[at] as number) <= BLANK) at++;
    return at;
  }

  #endOfWord(from: number): number {
    let at = from;
    for (; at < this.#to; at++) {
      const byte = this.#bytes[at] as number;
      if (byte <= BLANK || byte === EQUALS) break;
    }
    return at;
  }

  #find(quote: number, from: number): number {
    const [bytes, to] = [this.#bytes, this.#to];
    let isEscaped = false;
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at];
      if (byte === quote) break;
      if (byte === AMPERSAND || (byte as number) < BLANK) isEscaped = true;
    }
    this.isEscaped = isEscaped;
    return at;
  }
}
