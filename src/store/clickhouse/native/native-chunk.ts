/**
 * Parts of a column with a known length, written when the block is complete. Their source arrays must not
 * change until then.
 */

/** Output position. */
export interface NativeChunk {
  readonly byteLength: number;
  /** Writes exactly `byteLength` bytes to `target` at `at`. */
  write(target: NativeTarget, at: number): void;
}

/** Output buffer: the bytes of a complete block in two views. */
interface NativeTarget {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Raw bytes; little-endian integers are written unchanged. */
export function plainChunk(bytes: Uint8Array): NativeChunk {
  return {
    byteLength: bytes.length,
    write: (target, at) => target.bytes.set(bytes, at),
  };
}

/** The same bytes, repeated. */
export function repeatedChunk(bytes: Uint8Array, times: number): NativeChunk {
  const byteLength = bytes.length * times;
  return {
    byteLength,
    write: (target, at) => {
      if (times === 0) return;
      target.bytes.set(bytes, at);
      repeatFirst(target.bytes, bytes.length, { from: at, until: at + byteLength });
    },
  };
}

/**
 * Entries of `table` in the order of `index`: entry i has the bytes from `from[i]` to `from[i + 1]`.
 */
export function indexedChunk(table: Buffer, from: Uint32Array, index: Uint32Array): NativeChunk {
  let byteLength = 0;
  for (let row = 0; row < index.length; row++) {
    const part = index[row] as number;
    if (part + 1 >= from.length) throw new Error(`BUG: no entry ${part} in the table of a column`);
    byteLength += (from[part + 1] as number) - (from[part] as number);
  }
  return {
    byteLength,
    write: ({ bytes }, at) => {
      let end = at;
      for (let row = 0; row < index.length;) {
        const part = index[row] as number;
        const [first, begin, until] = [row, from[part] as number, from[part + 1] as number];
        while (row < index.length && index[row] === part) row++;
        const run = { from: end, until: end + (row - first) * (until - begin) };
        table.copy(bytes, run.from, begin, until);
        // Points are sorted by endpoint, so that equal entries form long runs unless batches are short.
        if (row > first + 1) repeatFirst(bytes, until - begin, run);
        end = run.until;
      }
    },
  };
}

/** Integers from 0 to 2^53 - 1 in eight bytes each; throws for other numbers. */
export function exactChunk(values: Float64Array): NativeChunk {
  return {
    byteLength: 8 * values.length,
    write: ({ view }, at) => {
      for (let index = 0; index < values.length; index++) {
        const value = values[index] as number;
        const high = (value * 2 ** -32) | 0;
        const low = value - high * 2 ** 32;
        if (low >>> 0 !== low || high >= 2 ** 21) throw notExact(value);
        view.setUint32(at + 8 * index, low, true);
        view.setUint32(at + 8 * index + 4, high, true);
      }
    },
  };
}

/**
 * Array ends: row i ends at entry `offsetsFrom[i + 1]`, counted from `before` and the first entry.
 */
export function offsetsChunk(offsetsFrom: Uint32Array, before: number): NativeChunk {
  const rows = offsetsFrom.length - 1;
  return {
    byteLength: 8 * rows,
    write: ({ view }, at) => {
      const shift = before - (offsetsFrom[0] as number);
      for (let row = 0; row < rows; row++) {
        const end = (offsetsFrom[row + 1] as number) + shift;
        view.setUint32(at + 8 * row, end, true);
        // A block of 2^32 entries does not fit into memory.
        view.setUint32(at + 8 * row + 4, 0, true);
      }
    },
  };
}

/** Repeats the `length` bytes at `from` until `until`, doubling the copied part. */
function repeatFirst(
  bytes: Uint8Array,
  length: number,
  { from, until }: { readonly from: number; readonly until: number },
): void {
  let end = from + length;
  while (end < until) {
    const copied = Math.min(end - from, until - end);
    bytes.copyWithin(end, from, from + copied);
    end += copied;
  }
}

function notExact(value: number): Error {
  return new Error(`BUG: no integer from 0 to 2^53 - 1 for a column of UInt64: ${value}`);
}

/** The UTF-8 bytes of a text, preceded by their number as a varint. */
export function textBytes(text: string): Uint8Array {
  const length = Buffer.byteLength(text, "utf8");
  const prefix = varintBytes(length);
  const bytes = Buffer.allocUnsafe(prefix.length + length);
  bytes.set(prefix);
  bytes.write(text, prefix.length, "utf8");
  return bytes;
}

/** Varint of an integer from 0 to 2^53 - 1. */
export function varintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.of(...bytes, rest);
}
