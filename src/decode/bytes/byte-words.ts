const encoder = new TextEncoder();

/**
 * Four bytes at once. A word is an integer of 32 bits that holds the first of them in its lowest
 * byte, as `DataView.getInt32(at, true)` reads it.
 */

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The lowest `bits` of a word, fewer than all. */
export function lowBits(word: number, bits: number): number {
  return word & ~(-1 << bits);
}

/** Whether one of the bytes of a word is 0. */
export function holdsZero(word: number): boolean {
  return ((word - 0x01010101) & ~word & 0x80808080) !== 0;
}

/**
 * Whether the bytes at `[from, to)` stand at `again` too. Three bytes behind both of them have to be
 * there, whatever they are.
 */
export function areRepeated(view: DataView, from: number, to: number, again: number): boolean {
  const distance = again - from;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    if (view.getInt32(at, true) !== view.getInt32(at + distance, true)) return false;
  }
  if (at >= to) return true;
  const difference = view.getInt32(at, true) ^ view.getInt32(at + distance, true);
  return lowBits(difference, (to - at) * 8) === 0;
}

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
