/** A word is a 32-bit integer with the first byte in its lowest bits, as `DataView.getInt32(at, true)` reads it. */

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The lowest `bits` (0 to 31) of a word. */
export function lowBits(word: number, bits: number): number {
  return word & ~(-1 << bits);
}

export function isAt(bytes: Uint8Array, from: number, word: Uint8Array): boolean {
  for (let at = 0; at < word.length; at++) if (bytes[from + at] !== word[at]) return false;
  return true;
}
