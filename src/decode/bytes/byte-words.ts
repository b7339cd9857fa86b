const encoder = new TextEncoder();

/** A word is a 32-bit integer with the first byte in its lowest bits, as `DataView.getInt32(at, true)` reads it. */

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The lowest `bits` (0 to 31) of a word. */
export function lowBits(word: number, bits: number): number {
  return word & ~(-1 << bits);
}

/** A text that bytes are compared with by words. */
export class WordText {
  /** UTF-8. */
  readonly bytes: Uint8Array;
  readonly #words: Int32Array;
  /** Bits of the last word that belong to the text. */
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

  /** Three bytes after the text must be readable, or an earlier byte differ. */
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

export function isAt(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word[at]) return false;
  return true;
}
