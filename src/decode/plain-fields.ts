/** The fields of rows in which nothing is quoted and behind which there is a line feed. */

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Where the field that begins at `from` ends: at a delimiter, or at the end of its line. */
export function fieldEnd(bytes: Uint8Array, from: number, delimiter: number): number {
  let at = from;
  while (bytes[at] !== delimiter && bytes[at] !== LINE_FEED) at++;
  return at;
}

/** The end of a field; a carriage return before the line feed at `to` is no part of it. */
export function withoutReturn(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[to] !== LINE_FEED) return to;
  return to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
}
