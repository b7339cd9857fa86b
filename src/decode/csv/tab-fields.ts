import { TAB, ZERO } from "../bytes/ascii.ts";
import { grown } from "../../model/columns.ts";
import { isAt } from "../bytes/byte-words.ts";

const FIRST_FIELDS = 64;
/** Numbers of more digits may not be exact. */
const DIGITS_MAX = 15;

/** Tab-separated fields of a line. Reused: valid until the next one. */
export class TabFields {
  /** At least 1. */
  count = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** Starts of the fields; each ends one byte before the next. */
  #from: Int32Array = new Int32Array(FIRST_FIELDS);

  split(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.#from[0] = from;
    this.count = 1;
    for (let at = from; at < to; at++) if (bytes[at] === TAB) this.#begin(at + 1);
    this.#begin(to + 1);
    this.count -= 1;
  }

  from(index: number): number {
    return this.#from[index] as number;
  }

  to(index: number): number {
    return (this.#from[index + 1] as number) - 1;
  }

  is(index: number, word: Buffer): boolean {
    if (index >= this.count) return false;
    const from = this.from(index);
    return this.to(index) - from === word.length && isAt(this.#bytes, from, word);
  }

  /** Fields `first` to `last` with the tabs between them. */
  text(first: number, last = first): string {
    return this.#bytes.toString("utf8", this.from(first), this.to(last));
  }

  /** `undefined` unless the field is 1 to 15 digits. */
  whole(index: number): number | undefined {
    const from = this.from(index);
    const to = this.to(index);
    if (from === to || to - from > DIGITS_MAX) return undefined;
    let value = 0;
    for (let at = from; at < to; at++) {
      const digit = (this.#bytes[at] as number) - ZERO;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    return value;
  }

  #begin(at: number): void {
    if (this.count === this.#from.length) this.#from = grown(this.#from, this.count);
    this.#from[this.count++] = at;
  }
}
