/** Columns of a block under construction. Appended arrays are referenced: do not change them until it is finished. */

/** A column of the block: name, type as spelled by the server, and content. */
export class NativeColumn {
  readonly name: string;
  readonly type: string;
  #rows = 0;
  readonly #parts: Uint8Array[] = [];
  readonly #emptyBytes: number;

  /** A value that is 0, or empty, has `emptyBytes` bytes, all of them 0. */
  constructor(name: string, type: string, emptyBytes: number) {
    this.name = name;
    this.type = type;
    this.#emptyBytes = emptyBytes;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Its bytes, in order. */
  parts(): readonly Uint8Array[] {
    return this.#parts;
  }

  appendEmpty(times: number): void {
    this.add(times, new Uint8Array(times * this.#emptyBytes));
  }

  protected add(rows: number, bytes: Uint8Array): void {
    this.#rows += rows;
    this.#parts.push(bytes);
  }

  protected addRepeated(rows: number, bytes: Uint8Array): void {
    this.add(rows, rows === 1 ? bytes : Buffer.allocUnsafe(rows * bytes.length).fill(bytes));
  }
}

/** Integers of one, two or four bytes: UInt8, Enum8, UInt16, Date, UInt32, DateTime. */
export class SmallColumn<
  Values extends Uint8Array | Int8Array | Uint16Array | Uint32Array,
> extends NativeColumn {
  readonly #arrayOf: new (values: readonly number[]) => Values;

  constructor(name: string, type: string, array: new (values: readonly number[]) => Values) {
    super(name, type, new array([0]).byteLength);
    this.#arrayOf = array;
  }

  append(values: Values): void {
    this.add(values.length, bytesOf(values));
  }

  repeat(value: number, times: number): void {
    const values = new this.#arrayOf([value]);
    if (values[0] !== value) throw new Error(`BUG: ${value} does not fit column ${this.name}`);
    this.addRepeated(times, bytesOf(values));
  }
}

export class Unsigned64Column extends NativeColumn {
  constructor(name: string) {
    super(name, "UInt64", 8);
  }

  /** Integers from 0 to 2^53 - 1; throws for other numbers. */
  append(values: Float64Array | readonly number[]): void {
    this.add(values.length, unsigned64Bytes(values));
  }

  appendBigints(values: BigUint64Array): void {
    this.add(values.length, bytesOf(values));
  }

  repeat(value: number | bigint, times: number): void {
    const wide = BigUint64Array.of(BigInt(value));
    if (wide[0] !== BigInt(value)) throw new Error(`BUG: ${value} does not fit ${this.name}`);
    this.addRepeated(times, bytesOf(wide));
  }
}

export class FixedColumn extends NativeColumn {
  readonly #width: number;

  constructor(name: string, width: number) {
    super(name, `FixedString(${width})`, width);
    this.#width = width;
  }

  /** Consecutive values. */
  append(bytes: Uint8Array): void {
    this.add(this.#count(bytes), bytes);
  }

  /** Entries of `table`, which holds consecutive values, in the order of `index`. */
  appendByIndex(table: Uint8Array, index: Uint32Array): void {
    const [width, count] = [this.#width, this.#count(table)];
    const bytes = Buffer.allocUnsafe(index.length * width);
    for (let row = 0; row < index.length;) {
      const [entry, first] = [index[row] as number, row];
      if (entry >= count) throw new Error(`BUG: no entry ${entry} in the table of ${this.name}`);
      // Points are sorted by endpoint, so that equal entries form long runs unless batches are short.
      while (index[row] === entry) row++;
      const value = table.subarray(entry * width, (entry + 1) * width);
      bytes.fill(value, first * width, row * width);
    }
    this.add(index.length, bytes);
  }

  repeat(bytes: Uint8Array, times: number): void {
    if (bytes.length !== this.#width) throw this.#misfit(bytes);
    this.addRepeated(times, bytes);
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
  constructor(name: string) {
    super(name, "String", 1);
  }

  append(texts: readonly string[]): void {
    this.add(texts.length, Buffer.concat(texts.map(textBytes)));
  }

  repeat(text: string, times: number): void {
    this.addRepeated(times, textBytes(text));
  }
}

/** Array of UInt16, UInt64 or String; `Values` are the entries of many rows. */
export class ArraysColumn<
  Values extends Uint16Array | Float64Array | readonly string[],
> extends NativeColumn {
  readonly #entries: Uint8Array[] = [];
  readonly #encode: (values: Values) => Uint8Array;
  #entryCount = 0;

  constructor(name: string, elementType: string, encode: (values: Values) => Uint8Array) {
    super(name, `Array(${elementType})`, 8);
    this.#encode = encode;
  }

  override parts(): readonly Uint8Array[] {
    return [...super.parts(), ...this.#entries];
  }

  /** Row i has the values from `offsetsFrom[i]` to `offsetsFrom[i + 1]`, half open. */
  append(offsetsFrom: Uint32Array, values: Values): void {
    const [first, last] = [offsetsFrom[0], offsetsFrom.at(-1)];
    if (first === undefined || last === undefined || last < first || last > values.length) {
      throw new Error(
        `BUG: no entries ${first} to ${last} among ${values.length} of column ${this.name}`,
      );
    }
    const rows = offsetsFrom.length - 1;
    // The upper halves stay 0: a block of 2^32 entries does not fit into memory.
    const ends = new Uint32Array(2 * rows);
    const shift = this.#entryCount - first;
    for (let row = 0; row < rows; row++) ends[2 * row] = (offsetsFrom[row + 1] as number) + shift;
    this.add(rows, bytesOf(ends));
    this.#entries.push(this.#encode(values.slice(first, last) as Values));
    this.#entryCount += last - first;
  }

  override appendEmpty(times: number): void {
    this.addRepeated(times, bytesOf(BigUint64Array.of(BigInt(this.#entryCount))));
  }
}

/** Eight bytes of each integer from 0 to 2^53 - 1; throws for other numbers. */
export function unsigned64Bytes(values: Float64Array | readonly number[]): Uint8Array {
  const halves = new Uint32Array(2 * values.length);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    const high = (value * 2 ** -32) | 0;
    const low = value - high * 2 ** 32;
    if (low >>> 0 !== low || high >= 2 ** 21) throw notExact(value);
    halves[2 * index] = low;
    halves[2 * index + 1] = high;
  }
  return bytesOf(halves);
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

/** Integers are little-endian, as on every machine that Node runs on. */
export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
