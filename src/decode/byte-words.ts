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
