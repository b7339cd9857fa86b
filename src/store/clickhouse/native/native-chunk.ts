/**
 * Chunks of a column: so many bytes that are known to come, written when all of a block is known.
 * The columns they are made of must stay as they are until then.
 */

/** Bytes of the block to come. */
export interface NativeChunk {
  readonly byteLength: number;
  /** Writes exactly `byteLength` bytes of `target` from `at` on. */
  write(target: NativeTarget, at: number): void;
}

/** Where chunks are written: the bytes of a whole block, seen in two ways. */
interface NativeTarget {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Bytes as they are: those of integers, lowest first, are the ones that machines hold as well. */
export function plainChunk(bytes: Uint8Array): NativeChunk {
  return {
    byteLength: bytes.length,
    write: (target, at) => target.bytes.set(bytes, at),
  };
}

/** The same bytes `times` times. */
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

/** Parts of `table` in the order of `index`: part i is its bytes from `from[i]` to `from[i + 1]`. */
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
        // Points are sorted by endpoint: runs of the same part are long, but where batches are short.
        if (row > first + 1) repeatFirst(bytes, until - begin, run);
        end = run.until;
      }
    },
  };
}

/** Integers from 0 to 2^53 - 1 in eight bytes each; any other number is a bug of who counted. */
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

/** Where arrays end: row i at entry `offsetsFrom[i + 1]`, counted from `before` and the first entry. */
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

/** Repeats the `length` bytes at `from` until `until`: by copies of what is there, ever longer ones. */
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

/** The bytes of a text, after their number in `varint` form. */
export function textBytes(text: string): Uint8Array {
  const length = Buffer.byteLength(text, "utf8");
  const prefix = varintBytes(length);
  const bytes = Buffer.allocUnsafe(prefix.length + length);
  bytes.set(prefix);
  bytes.write(text, prefix.length, "utf8");
  return bytes;
}

/** An integer from 0 to 2^53 - 1, seven bits a byte, lowest first; the last has no high bit. */
export function varintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Uint8Array.of(...bytes, rest);
}
