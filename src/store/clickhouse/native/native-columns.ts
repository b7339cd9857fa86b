/**
 * Columns of a block under construction, by kind. Rows are appended in bulk. Appended arrays are referenced,
 * not copied: do not change them until the block is finished.
 */

import {
  exactChunk,
  indexedChunk,
  type NativeChunk,
  offsetsChunk,
  plainChunk,
  repeatedChunk,
  textBytes,
} from "./native-chunk.ts";

/** A column of the block: name, type as spelled by the server, and content. */
export class NativeColumn {
  readonly name: string;
  readonly type: string;
  #rows = 0;
  readonly #chunks: NativeChunk[] = [];

  constructor(name: string, type: string) {
    this.name = name;
    this.type = type;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Chunks to write, in order. */
  chunks(): readonly NativeChunk[] {
    return this.#chunks;
  }

  protected add(rows: number, chunk: NativeChunk): void {
    this.#rows += rows;
    this.#chunks.push(chunk);
  }
}

/** Integers of one, two or four bytes: UInt8, Enum8, UInt16, Date, UInt32, DateTime. */
export class SmallColumn<
  Values extends Uint8Array | Int8Array | Uint16Array | Uint32Array,
> extends NativeColumn {
  readonly #arrayOf: new (values: readonly number[]) => Values;

  constructor(name: string, type: string, array: new (values: readonly number[]) => Values) {
    super(name, type);
    this.#arrayOf = array;
  }

  append(values: Values): void {
    this.add(values.length, plainChunk(bytesOf(values)));
  }

  repeat(value: number, times: number): void {
    const values = new this.#arrayOf([value]);
    if (values[0] !== value) throw new Error(`BUG: ${value} does not fit column ${this.name}`);
    this.add(times, repeatedChunk(bytesOf(values), times));
  }
}

/** UInt64. */
export class Unsigned64Column extends NativeColumn {
  /** Integers from 0 to 2^53 - 1; `finish` throws for other numbers. */
  append(values: Float64Array | readonly number[]): void {
    const numbers = values instanceof Float64Array ? values : Float64Array.from(values);
    this.add(numbers.length, exactChunk(numbers));
  }

  appendBigints(values: BigUint64Array): void {
    this.add(values.length, plainChunk(bytesOf(values)));
  }

  repeat(value: number | bigint, times: number): void {
    const wide = BigUint64Array.of(BigInt(value));
    if (wide[0] !== BigInt(value)) throw new Error(`BUG: ${value} does not fit ${this.name}`);
    this.add(times, repeatedChunk(bytesOf(wide), times));
  }
}

export class FixedColumn extends NativeColumn {
  readonly #width: number;

  constructor(name: string, width: number) {
    super(name, `FixedString(${width})`);
    this.#width = width;
  }

  /** Consecutive values. */
  append(bytes: Uint8Array): void {
    this.add(this.#count(bytes), plainChunk(bytes));
  }

  /** Entries of `table`, which holds consecutive values, in the order of `index`. */
  appendByIndex(table: Uint8Array, index: Uint32Array): void {
    const from = Uint32Array.from({ length: this.#count(table) + 1 }, (_, entry) => {
      return entry * this.#width;
    });
    this.add(index.length, indexedChunk(bytesOf(table), from, index));
  }

  repeat(bytes: Uint8Array, times: number): void {
    if (bytes.length !== this.#width) throw this.#misfit(bytes);
    this.add(times, repeatedChunk(bytes, times));
  }

  #count(bytes: Uint8Array): number {
    if (bytes.length % this.#width !== 0) throw this.#misfit(bytes);
    return bytes.length / this.#width;
  }

  #misfit(bytes: Uint8Array): Error {
    return new Error(`BUG: ${bytes.length} bytes do not fit ${this.type} of column ${this.name}`);
  }
}

/** String columns, encoded as UTF-8. Unpaired surrogates become U+FFFD. */
export class TextColumn extends NativeColumn {
  append(texts: readonly string[]): void {
    this.add(texts.length, plainChunk(textTable(texts).bytes));
  }

  /** Entries of `table` in the order of `index`. */
  appendByIndex(table: readonly string[], index: Uint32Array): void {
    const { bytes, from } = textTable(table);
    this.add(index.length, indexedChunk(bytes, from, index));
  }

  repeat(text: string, times: number): void {
    this.add(times, repeatedChunk(textBytes(text), times));
  }
}

/** Array of UInt16, UInt64 or String; `Values` are the entries of many rows. */
export class ArraysColumn<Values> extends NativeColumn {
  readonly #entries: NativeChunk[] = [];
  readonly #take: (values: Values, from: number, until: number) => NativeChunk;
  #entryCount = 0;

  constructor(
    name: string,
    elementType: string,
    take: (values: Values, from: number, until: number) => NativeChunk,
  ) {
    super(name, `Array(${elementType})`);
    this.#take = take;
  }

  override chunks(): readonly NativeChunk[] {
    return [...super.chunks(), ...this.#entries];
  }

  /** Row i has the values from `offsetsFrom[i]` to `offsetsFrom[i + 1]`, half open. */
  append(offsetsFrom: Uint32Array, values: Values): void {
    const [first, last] = [offsetsFrom[0], offsetsFrom.at(-1)];
    if (first === undefined || last === undefined) {
      throw new Error(`BUG: no offsets for column ${this.name}`);
    }
    this.add(offsetsFrom.length - 1, offsetsChunk(offsetsFrom, this.#entryCount));
    this.#entries.push(this.#take(values, first, last));
    this.#entryCount += last - first;
  }

  appendEmpty(times: number): void {
    const end = BigUint64Array.of(BigInt(this.#entryCount));
    this.add(times, repeatedChunk(bytesOf(end), times));
  }
}

/** Appends the entries `from` to `until` of arrays of UInt16. */
export function unsigned16Entries(values: Uint16Array, from: number, until: number): NativeChunk {
  return plainChunk(bytesOf(entries(values, from, until)));
}

/** Appends the entries `from` to `until` of arrays of UInt64. */
export function unsigned64Entries(values: Float64Array, from: number, until: number): NativeChunk {
  return exactChunk(entries(values, from, until));
}

/** Appends the entries `from` to `until` of arrays of String. */
export function textEntries(values: readonly string[], from: number, until: number): NativeChunk {
  if (until > values.length || until < from) throw outside(from, until, values.length);
  return plainChunk(textTable(values.slice(from, until)).bytes);
}

function entries<Values extends Uint16Array | Float64Array>(
  values: Values,
  from: number,
  until: number,
): Values {
  if (until > values.length || until < from) throw outside(from, until, values.length);
  return values.subarray(from, until) as Values;
}

function outside(from: number, until: number, length: number): Error {
  return new Error(`BUG: no entries ${from} to ${until} among ${length} values of arrays`);
}

/** The bytes of all texts and the offset of each; the last offset is the end. */
function textTable(texts: readonly string[]): { bytes: Buffer; from: Uint32Array } {
  const encoded = texts.map(textBytes);
  const from = new Uint32Array(texts.length + 1);
  for (const [entry, bytes] of encoded.entries()) {
    from[entry + 1] = (from[entry] as number) + bytes.length;
  }
  return { bytes: Buffer.concat(encoded), from };
}

function bytesOf(values: ArrayBufferView): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}
