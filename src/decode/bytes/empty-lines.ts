const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Where the lines without a byte end that begin at `from`: all of them end with LF, or all with CRLF.
 * Skipping them together takes a fraction of reading each; `emptyLines` tells how many there were.
 */
export function emptyLinesEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  if (bytes[at] === CARRIAGE_RETURN) {
    while (at + 1 < to && bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at += 2;
    return at;
  }
  while (at < to && bytes[at] === LINE_FEED) at += 1;
  return at;
}

/** How many lines `emptyLinesEnd` has skipped. */
export function emptyLines(bytes: Uint8Array, from: number, end: number): number {
  return bytes[from] === CARRIAGE_RETURN ? (end - from) / 2 : end - from;
}
