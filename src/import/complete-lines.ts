const NEWLINE = 0x0a;
/** A longer line is not a row of a table. */
const ROW_BYTES_MAX = 1024 * 1024;

/**
 * Passes the bytes through, except those after the last line end if `isStopped` at the end: a truncated row can look
 * complete, with another number in its last column. Chunks may be overwritten once the next one is requested.
 */
export async function* completeLines(
  chunks: AsyncIterable<Uint8Array>,
  isStopped: () => boolean,
): AsyncGenerator<Uint8Array> {
  let partial: Uint8Array[] = [];
  let partialBytes = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0 || partialBytes > ROW_BYTES_MAX) {
      yield* partial;
      [partial, partialBytes] = [[], 0];
    }
    if (end > 0) yield chunk.subarray(0, end);
    if (end < chunk.length) {
      // `slice` of a `Buffer` would share memory.
      partial.push(new Uint8Array(chunk.subarray(end)));
      partialBytes += chunk.length - end;
    }
  }
  if (!isStopped()) yield* partial;
}
