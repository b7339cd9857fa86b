import { UserError } from "../../../model/errors.ts";

/** Bytes per number. */
export const NUMBER_WIDTHS = { Int8: 1, UInt8: 1, UInt16: 2, UInt32: 4, UInt64: 8 } as const;

/** Other types with the layout of integers: enumerations, days, seconds. */
const NUMBER_NAMES: readonly (readonly [RegExp, NativeNumberType])[] = [
  [/^Int8$|^Enum8\(.*\)$/s, "Int8"],
  [/^UInt8$|^Bool$/, "UInt8"],
  [/^UInt16$|^Date$/, "UInt16"],
  [/^UInt32$|^DateTime(\('[^']*'\))?$/, "UInt32"],
  [/^UInt64$/, "UInt64"],
];

/** Integers of a column in one array. */
export type NativeNumbers = Int8Array | Uint8Array | Uint16Array | Uint32Array | Float64Array;

const ARRAYS = {
  Int8: Int8Array,
  UInt8: Uint8Array,
  UInt16: Uint16Array,
  UInt32: Uint32Array,
} as const satisfies Partial<Record<NativeNumberType, unknown>>;

/** Arrays of many rows: row i has the values from `from[i]` to `from[i + 1]`, half open. */
export interface NativeArrays<Values> {
  readonly from: Uint32Array;
  readonly values: Values;
}

/** Values of a column; numbers stay bytes until they are converted. */
export type NativeValues =
  | {
      readonly kind: "number";
      readonly number: NativeNumberType;
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "fixed"; readonly width: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "text"; readonly texts: readonly string[] }
  | ({ readonly kind: "array" } & NativeArrays<NativeValues>);

/** A received column, with its type as spelled by the server. */
export interface NativeReadColumn {
  readonly name: string;
  readonly type: string;
  readonly values: NativeValues;
}

/** A block of a response. Reading a missing column, or one of another type, is a bug. Each call converts the column again. */
export class NativeBlock {
  readonly rows: number;
  readonly columns: readonly NativeReadColumn[];

  constructor(rows: number, columns: readonly NativeReadColumn[]) {
    this.rows = rows;
    this.columns = columns;
  }

  get names(): readonly string[] {
    return this.columns.map(({ name }) => name);
  }

  /** Returns numbers, enumerations, days or seconds; UInt64 as Float64Array. Throws `sum-too-large` above 2^53 - 1. */
  numbers(name: string): NativeNumbers {
    const column = this.#column(name);
    return numbersOf(column, column.values);
  }

  /** Writes them to `target` at `at`, whose type must be large enough. */
  copyNumbers(
    name: string,
    target: Float64Array | Uint32Array | Uint16Array,
    { at, most }: CopiedNumbers,
  ): void {
    const column = this.#column(name);
    const { values } = column;
    if (values.kind === "number" && values.number === "UInt64") {
      copyExact(halvesOf(values.bytes), column.name, target, { at, most });
    } else target.set(numbersOf(column, values), at);
  }

  /** Returns UInt64 of any size. */
  bigints(name: string): BigUint64Array {
    const column = this.#column(name);
    if (column.values.kind !== "number" || column.values.number !== "UInt64") {
      throw mistaken(column, "UInt64");
    }
    const { bytes } = column.values;
    return new BigUint64Array(bytes.buffer, bytes.byteOffset, this.rows);
  }

  strings(name: string): readonly string[] {
    const column = this.#column(name);
    if (column.values.kind !== "text") throw mistaken(column, "text");
    return column.values.texts;
  }

  /** Returns the bytes of a FixedString column: consecutive values of `width` bytes. */
  bytesOf(name: string): { readonly width: number; readonly bytes: Uint8Array<ArrayBuffer> } {
    const column = this.#column(name);
    if (column.values.kind !== "fixed") throw mistaken(column, "FixedString");
    return column.values;
  }

  /** Returns a FixedString column, one character per byte, including trailing zeros. */
  fixedStrings(name: string): string[] {
    const { width, bytes } = this.bytesOf(name);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    return Array.from({ length: this.rows }, (_, row) =>
      text.slice(row * width, (row + 1) * width),
    );
  }

  /** Returns arrays of numbers, converted as `numbers` does. */
  arrays(name: string): NativeArrays<NativeNumbers> {
    const { column, from, values } = this.#arrays(name);
    return { from, values: numbersOf(column, values) };
  }

  stringArrays(name: string): NativeArrays<readonly string[]> {
    const { column, from, values } = this.#arrays(name);
    if (values.kind !== "text") throw mistaken(column, "arrays of text");
    return { from, values: values.texts };
  }

  #arrays(name: string): NativeArrays<NativeValues> & { readonly column: NativeReadColumn } {
    const column = this.#column(name);
    if (column.values.kind !== "array") throw mistaken(column, "arrays");
    return { column, from: column.values.from, values: column.values.values };
  }

  #column(name: string): NativeReadColumn {
    const found = this.columns.find((column) => column.name === name);
    if (found !== undefined) return found;
    throw new Error(`BUG: no column ${name} among ${this.names.join(", ")}`);
  }
}

interface CopiedNumbers {
  readonly at: number;
  /** Largest accepted UInt64. @default 2^53 - 1 */
  readonly most?: number | undefined;
}

function numbersOf(column: NativeReadColumn, values: NativeValues): NativeNumbers {
  if (values.kind !== "number") throw mistaken(column, "numbers");
  const { buffer, byteOffset, byteLength } = values.bytes;
  if (values.number === "UInt64") {
    const numbers = new Float64Array(byteLength / 8);
    copyExact(halvesOf(values.bytes), column.name, numbers, { at: 0 });
    return numbers;
  }
  const Numbers = ARRAYS[values.number];
  return new Numbers(buffer, byteOffset, byteLength / NUMBER_WIDTHS[values.number]);
}

function halvesOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** `halves` has the lower and the upper 32 bits of each number. */
function copyExact(
  halves: Uint32Array,
  name: string,
  target: Float64Array | Uint32Array | Uint16Array,
  { at, most = Number.MAX_SAFE_INTEGER }: CopiedNumbers,
): void {
  const count = halves.length / 2;
  for (let index = 0; index < count; index++) {
    const high = halves[2 * index + 1] as number;
    const number = high * 2 ** 32 + (halves[2 * index] as number);
    if (number > most) {
      throw new UserError(
        "sum-too-large",
        `a number of column ${name} is above 2^53 - 1: ${number}`,
      );
    }
    target[at + index] = number;
  }
}

function mistaken({ name, type }: NativeReadColumn, want: string): Error {
  return new Error(`BUG: column ${name} is read as ${want}, and is ${type}`);
}

/** Supported layouts of column values. */
export type NativeType =
  | { readonly kind: "number"; readonly number: NativeNumberType }
  /** FixedString: `width` bytes per value. */
  | { readonly kind: "fixed"; readonly width: number }
  | { readonly kind: "text" }
  | { readonly kind: "array"; readonly element: NativeType };

/** Integers, by their array type. */
type NativeNumberType = keyof typeof NUMBER_WIDTHS;

/** Parses a type as spelled by the server. Throws `NativeError` if unsupported. */
export function nativeType(spelled: string): NativeType {
  if (spelled === "String") return { kind: "text" };
  const width = /^FixedString\(([1-9]\d{0,5})\)$/.exec(spelled)?.[1];
  if (width !== undefined) return { kind: "fixed", width: Number(width) };
  const element = /^Array\((.*)\)$/s.exec(spelled)?.[1];
  if (element !== undefined) return { kind: "array", element: nativeType(element) };
  const number = NUMBER_NAMES.find(([names]) => names.test(spelled))?.[1];
  if (number !== undefined) return { kind: "number", number };
  throw new NativeError(`unsupported column type: ${JSON.stringify(spelled)}`);
}

/** A response is not a complete series of blocks: truncated or not understood. */
export class NativeError extends Error {
  /** Number of the server's exception, if it was one. */
  readonly serverCode: number | undefined;

  constructor(message: string, options?: ErrorOptions & { readonly serverCode?: number }) {
    super(message, options);
    this.name = "NativeError";
    this.serverCode = options?.serverCode;
  }
}
