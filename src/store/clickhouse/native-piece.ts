/**
 * Pieces of a column: so many bytes that are known to come, written when all of a block is known.
 * The columns they are made of must stay as they are until then.
 */

/** Bytes of the block to come. */
export interface NativePiece {
  readonly byteLength: number;
  /** Writes exactly `byteLength` bytes of `target` from `at` on. */
  write(target: NativeTarget, at: number): void;
}

/** Where pieces are written: the bytes of a whole block, seen in two ways. */
export interface NativeTarget {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Bytes as they are: those of integers, lowest first, are the ones that machines hold as well. */
export function plainPiece(bytes: Uint8Array): NativePiece {
  return {
    byteLength: bytes.length,
    write: (target, at) => target.bytes.set(bytes, at),
  };
}

/** The same bytes `times` times. */
export function repeatedPiece(bytes: Uint8Array, times: number): NativePiece {
  const byteLength = bytes.length * times;
  return {
    byteLength,
    write: (target, at) => {
      if (bytes.length === 1) target.bytes.fill(bytes[0] as number, at, at + byteLength);
      else fillWith(target.bytes.subarray(at, at + byteLength), bytes);
    },
  };
}

/** Parts of `table` in the order of `index`: part i is its bytes from `from[i]` to `from[i + 1]`. */
export function indexedPiece(
  table: Uint8Array,
  from: Uint32Array,
  index: Uint32Array,
): NativePiece {
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
        const first = row;
        while (row < index.length && index[row] === part) row++;
        const [begin, until] = [from[part] as number, from[part + 1] as number];
        const run = bytes.subarray(end, end + (row - first) * (until - begin));
        fillWith(run, table.subarray(begin, until));
        end += run.length;
      }
    },
  };
}

/** Integers from 0 to 2^53 - 1 in eight bytes each; any other number is a bug of who counted. */
export function exactPiece(values: Float64Array): NativePiece {
  return {
    byteLength: 8 * values.length,
    write: ({ view }, at) => {
      for (let index = 0; index < values.length; index++) {
        const value = values[index] as number;
        const low = value >>> 0;
        const high = (value - low) / 2 ** 32;
        if (high >>> 0 !== high || high >= 2 ** 21) throw notExact(value);
        view.setUint32(at + 8 * index, low, true);
        view.setUint32(at + 8 * index + 4, high, true);
      }
    },
  };
}

/** Where arrays end: row i at entry `offsetsFrom[i + 1]`, counted from `before` and the first entry. */
export function offsetsPiece(offsetsFrom: Uint32Array, before: number): NativePiece {
  const rows = offsetsFrom.length - 1;
  return {
    byteLength: 8 * rows,
    write: ({ view }, at) => {
      const shift = before - (offsetsFrom[0] as number);
      for (let row = 0; row < rows; row++) {
        const end = (offsetsFrom[row + 1] as number) + shift;
        view.setUint32(at + 8 * row, end, true);
        view.setUint32(at + 8 * row + 4, Math.floor(end / 2 ** 32), true);
      }
    },
  };
}

/** Fills `target` with `bytes` over and over: by copies of what is there, twice as long each time. */
function fillWith(target: Uint8Array, bytes: Uint8Array): void {
  if (target.length === 0) return;
  target.set(bytes);
  for (let filled = bytes.length; filled < target.length; filled *= 2) {
    target.copyWithin(filled, 0, Math.min(filled, target.length - filled));
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
