import { wordOf } from "./write-number.ts";

/** ASCII text that is written over and over, kept as words so that four bytes are one store. */
export interface Stamp {
  readonly words: Int32Array;
  readonly length: number;
}

export function createStamp(text: string): Stamp {
  const words = new Int32Array(Math.ceil(text.length / 4));
  for (let word = 0; word < words.length; word++) {
    words[word] = wordOf(text.slice(4 * word, 4 * word + 4));
  }
  return { words, length: text.length };
}

/** Writes the text at `at`, like the functions of `write-number.ts`. */
export function writeStamp(view: DataView, at: number, { words, length }: Stamp): number {
  for (let word = 0; word < words.length; word++) {
    view.setInt32(at + 4 * word, words[word] as number, true);
  }
  return at + length;
}
