/** A defined or built-in type. */
export type GobType =
  | { readonly kind: "signed" | "unsigned" | "float" | "complex" | "bytes" | "text" | "interface" }
  | { readonly kind: "struct"; readonly name: string; readonly fields: readonly GobField[] }
  | { readonly kind: "map"; readonly key: number; readonly element: number }
  | { readonly kind: "list"; readonly element: number };

interface GobField {
  readonly name: string;
  readonly type: number;
}

/** Field values that are used. */
export type GobValue = number | string | Uint8Array;

const BUILT_IN: ReadonlyMap<number, GobType> = new Map([
  [1, { kind: "unsigned" }],
  [2, { kind: "signed" }],
  [3, { kind: "unsigned" }],
  [4, { kind: "float" }],
  [5, { kind: "bytes" }],
  [6, { kind: "text" }],
  [7, { kind: "complex" }],
  [8, { kind: "interface" }],
]);

/** Limit of nesting: definitions may be recursive. */
const DEPTH_MAX = 32;

/** Types of a stream and their values. */
export class GobTypes {
  readonly #types = new Map(BUILT_IN);

  /** Throws `GobError`. */
  define(id: number, bytes: GobBytes): GobType {
    const type = readDefinition(bytes);
    this.#types.set(id, type);
    return type;
  }

  /** Fields of a struct by name; zero values are not written. */
  struct(id: number, bytes: GobBytes): Map<string, GobValue> {
    const type = this.#typeOf(id);
    if (type.kind !== "struct") throw new GobError(`type ${id} is not a struct`);
    const values = new Map<string, GobValue>();
    for (const { name, type: fieldType } of writtenFields(type.fields, bytes)) {
      const value = this.#value(fieldType, bytes, 1);
      if (value !== undefined) values.set(name, value);
    }
    return values;
  }

  #typeOf(id: number): GobType {
    const type = this.#types.get(id);
    if (type === undefined) throw new GobError(`type ${id} is not defined`);
    return type;
  }

  /** `undefined` for skipped values. */
  #value(id: number, bytes: GobBytes, depth: number): GobValue | undefined {
    if (depth > DEPTH_MAX) throw new GobError("types are nested too deeply");
    const type = this.#typeOf(id);
    if (type.kind === "signed") return bytes.signed();
    if (type.kind === "unsigned") return bytes.unsigned();
    if (type.kind === "text") return bytes.text();
    if (type.kind === "bytes") return bytes.bytes();
    this.#passOver(type, bytes, depth);
    return undefined;
  }

  #passOver(type: GobType, bytes: GobBytes, depth: number): void {
    if (type.kind === "struct") {
      for (const field of writtenFields(type.fields, bytes))
        this.#value(field.type, bytes, depth + 1);
    } else if (type.kind === "map" || type.kind === "list") {
      const elements = type.kind === "map" ? [type.key, type.element] : [type.element];
      for (let count = bytes.unsigned(); count > 0; count--) {
        for (const element of elements) this.#value(element, bytes, depth + 1);
      }
    } else if (type.kind === "float" || type.kind === "complex") {
      bytes.unsigned();
      if (type.kind === "complex") bytes.unsigned();
    } else {
      throw new GobError("interface types are not supported: Vegeta writes none");
    }
  }
}

/** Yields the present fields: each is written as a distance from the previous one, 0 ends. */
function* writtenFields<Field>(fields: readonly Field[], bytes: GobBytes): Generator<Field> {
  let index = -1;
  for (let delta = bytes.unsigned(); delta !== 0; delta = bytes.unsigned()) {
    index += delta;
    const field = fields[index];
    if (field === undefined) throw new GobError(`a struct has no field ${index}`);
    yield field;
  }
}

/** In gob's order; the last three encode themselves as bytes. */
const DEFINITIONS = ["array", "slice", "struct", "map", "gob", "binary", "text"] as const;

function readDefinition(bytes: GobBytes): GobType {
  let type: GobType | undefined;
  for (const definition of writtenFields(DEFINITIONS, bytes)) {
    if (definition === "struct") type = readStruct(bytes);
    else if (definition === "map") {
      const [key, element] = readNumbers(bytes);
      type = { kind: "map", key, element };
    } else if (definition === "array" || definition === "slice") {
      const [element] = readNumbers(bytes);
      type = { kind: "list", element };
    } else {
      for (const _ of writtenFields(["common"], bytes)) readNamed(bytes);
      type = { kind: "bytes" };
    }
  }
  if (type === undefined) throw new GobError("an empty definition");
  return type;
}

function readStruct(bytes: GobBytes): GobType {
  let name = "";
  const fields: GobField[] = [];
  for (const part of writtenFields(["common", "fields"] as const, bytes)) {
    if (part === "common") name = readNamed(bytes).name;
    else for (let count = bytes.unsigned(); count > 0; count--) fields.push(readNamed(bytes));
  }
  return { kind: "struct", name, fields };
}

/** Reads a field, or what all definitions have in common: a name, and the type's own number. */
function readNamed(bytes: GobBytes): GobField {
  let name = "";
  let type = 0;
  for (const part of writtenFields(["name", "type"] as const, bytes)) {
    if (part === "name") name = bytes.text();
    else type = bytes.signed();
  }
  return { name, type };
}

/** Reads the types of keys and elements of a map, or of the elements of a list and its length. */
function readNumbers(bytes: GobBytes): readonly [first: number, second: number] {
  const numbers: [number, number] = [0, 0];
  for (const part of writtenFields(["common", 0, 1] as const, bytes)) {
    if (part === "common") readNamed(bytes);
    else numbers[part] = bytes.signed();
  }
  return numbers;
}

/** Bytes that are truncated or not written by gob. */
export class GobError extends Error {}

const utf8 = new TextDecoder();

const NUMBER_BYTES_MAX = 8;

/** Reads numbers and texts of Go's gob encoding. Throws `GobError`. */
export class GobBytes {
  /** Position of the next value. */
  at: number;
  readonly #bytes: Uint8Array;
  readonly #to: number;

  /** Input is `[from, to)`. */
  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.at = from;
    this.#to = to;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#to;
  }

  /** One byte if small; else the negated byte count and big-endian bytes. Inexact above 2^53. */
  unsigned(): number {
    return Number(this.#unsigned());
  }

  /** The lowest bit tells whether the others are inverted. */
  signed(): number {
    const unsigned = this.#unsigned();
    return Number((unsigned & 1n) === 0n ? unsigned >> 1n : -(unsigned >> 1n) - 1n);
  }

  /** Length-prefixed bytes, as a view. */
  bytes(): Uint8Array {
    const length = this.unsigned();
    const from = this.at;
    if (length > this.#to - from) throw new GobError("unexpected end of data");
    this.at = from + length;
    return this.#bytes.subarray(from, this.at);
  }

  text(): string {
    return utf8.decode(this.bytes());
  }

  #unsigned(): bigint {
    const first = this.#byte();
    if (first < 0x80) return BigInt(first);
    const length = 0x100 - first;
    if (length > NUMBER_BYTES_MAX) throw new GobError(`a number has ${length} bytes`);
    let value = 0n;
    for (let byte = 0; byte < length; byte++) value = (value << 8n) | BigInt(this.#byte());
    return value;
  }

  #byte(): number {
    if (this.isAtEnd) throw new GobError("unexpected end of a value");
    return this.#bytes[this.at++] as number;
  }
}
