const NEWLINE = 0x0a;
/** What is longer than that is no row of a table. */
const ROW_BYTES_MAX = 1024 * 1024;

/**
 * The same bytes, but for what comes after the last line end where `isStopped` says, at the end, that
 * there would have been more: the beginning of a row can look like a whole one, with another number in
 * its last column. Pieces may be written over once the next one is asked for.
 */
export async function* wholeLines(
  pieces: AsyncIterable<Uint8Array>,
  isStopped: () => boolean,
): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0 || begunBytes > ROW_BYTES_MAX) {
      yield* begun;
      [begun, begunBytes] = [[], 0];
    }
    if (end > 0) yield piece.subarray(0, end);
    if (end < piece.length) {
      // The slice of a buffer would be the same memory.
      begun.push(new Uint8Array(piece.subarray(end)));
      begunBytes += piece.length - end;
    }
  }
  if (!isStopped()) yield* begun;
}
