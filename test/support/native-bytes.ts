/** Bytes in ClickHouse's Native format, built by hand from the definition of the format. */

/** Strings and bytes. */
type Part = string | number | readonly number[] | Uint8Array;

export function nativeBytes(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === "number" ? Uint8Array.of(part) : Buffer.from(part))),
  );
}

/** A block with one column, `c`, of fewer than 128 rows. */
export function oneColumn(type: string, rows: number, ...values: readonly Part[]): Buffer {
  return nativeBytes(1, rows, 1, "c", type.length, type, ...values);
}

/** `body` in chunks of `sizes` bytes, some of them empty, and the rest in one chunk. */
export async function* inChunks(
  body: Uint8Array,
  sizes: readonly number[],
): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield Uint8Array.from(body.subarray(at, at + size));
    at += size;
  }
  yield Uint8Array.from(body.subarray(at));
}
