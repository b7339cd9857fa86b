import { viewOf } from "./byte-words.ts";

const encoder = new TextEncoder();

/** A text to compare bytes with, a word at a time. */
export class WordText {
  /** Its bytes as UTF-8. */
  readonly bytes: Uint8Array;
  readonly #words: Int32Array;
  /** Which bits of the last word belong to the text. */
  readonly #lastMask: number;

  constructor(text: string) {
    this.bytes = encoder.encode(text);
    const count = Math.ceil(this.bytes.length / 4);
    const padded = new Uint8Array(count * 4);
    padded.set(this.bytes);
    const view = viewOf(padded);
    this.#words = Int32Array.from({ length: count }, (_, index) => view.getInt32(index * 4, true));
    this.#lastMask = -1 >>> ((count * 4 - this.bytes.length) * 8);
  }

  get length(): number {
    return this.bytes.length;
  }

  /**
   * Whether the text stands at `from`. Three bytes behind it have to be there, or a byte before its
   * end that differs.
   */
  isAt(view: DataView, from: number): boolean {
    const words = this.#words;
    const last = words.length - 1;
    let at = from;
    for (let index = 0; index < last; index++, at += 4) {
      if (view.getInt32(at, true) !== words[index]) return false;
    }
    const difference = view.getInt32(at, true) ^ (words[last] as number);
    return (difference & this.#lastMask) === 0;
  }
}
