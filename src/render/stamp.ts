/** ASCII text that is written over and over, kept as two words of 8 bytes, little-endian. */
export interface Stamp {
  readonly head: number;
  readonly tail: number;
  readonly length: number;
}

const STAMP_BYTES = 16;
const DRAFT = new DataView(new ArrayBuffer(STAMP_BYTES));

/** A stamp of at most 16 characters of ASCII. */
export function createStamp(text: string): Stamp {
  for (let index = 0; index < text.length; index++) DRAFT.setUint8(index, text.charCodeAt(index));
  // As numbers these bytes mean nothing; none is a NaN, whose bytes would not be kept.
  return { head: DRAFT.getFloat64(0, true), tail: DRAFT.getFloat64(8, true), length: text.length };
}

/** Writes the text at `at`, like the functions of `write-number.ts`; overwrites 16 bytes. */
export function writeStamp(view: DataView, at: number, { head, tail, length }: Stamp): number {
  view.setFloat64(at, head, true);
  view.setFloat64(at + 8, tail, true);
  return at + length;
}
