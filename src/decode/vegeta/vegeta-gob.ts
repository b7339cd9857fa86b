import { VEGETA_GOB } from "./about.ts";
import type { Rejection } from "../../model/import-report.ts";
import { viewOf } from "../bytes/byte-table.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { type Format, RECORD_BYTES_MAX, type SampleSink } from "../decoder.ts";
import { WindowDecoder } from "../window-decoder.ts";
import { VegetaResults } from "./vegeta-results.ts";

/** Output of `vegeta attack`: docs/internals/formats/vegeta.md. */
export const vegetaGob: Format = {
  ...VEGETA_GOB,
  recognises: isVegetaGob,
  open(sink, options) {
    const [window, results] = [new ByteWindow(), new VegetaResults(sink, options)];
    const { rows } = results;
    return new WindowDecoder(window, {
      reader: new VegetaGobReader(window, results, sink),
      rows,
      finish: () => [...results.notes(), ...rows.notes()],
    });
  },
};

/** Bytes of the longest length prefix. */
const LENGTH_BYTES_MAX = 9;
/** Seconds from year 1, the origin of Go's times, to 1970. */
const SECONDS_BEFORE_1970 = 62_135_596_800n;
/** Version, seconds and nanoseconds; the zone follows. */
const TIME_BYTES_MIN = 13;
const NANOS_PER_MS = 1_000_000;
const utf8 = new TextDecoder();

/** The first message defines the type of results. */
function isVegetaGob(head: Uint8Array): boolean {
  try {
    const frame = new GobBytes(head, 0, head.length);
    const message = frame.bytes();
    const bytes = new GobBytes(message, 0, message.length);
    const id = bytes.signed();
    if (id >= 0) return false;
    const type = new GobTypes().define(-id, bytes);
    if (type.kind !== "struct" || type.name !== "Result") return false;
    return ["Timestamp", "Latency", "Code"].every((name) =>
      type.fields.some((field) => field.name === name),
    );
  } catch (error) {
    if (error instanceof GobError) return false;
    throw error;
  }
}

class VegetaGobReader {
  readonly #sink: SampleSink;
  readonly #results: VegetaResults;
  readonly #window: ByteWindow;
  readonly #types = new GobTypes();
  /** Including rejected ones. */
  #count = 0;
  /** Bytes left of an overlong message. */
  #skipped = 0;
  #broken: Rejection | undefined;

  constructor(window: ByteWindow, results: VegetaResults, sink: SampleSink) {
    this.#window = window;
    this.#results = results;
    this.#sink = sink;
  }

  read(): void {
    let at: number | undefined = this.#window.from;
    while (at !== undefined && this.#broken === undefined) {
      this.#window.settle(at);
      at = this.#message(at);
    }
    if (this.#broken !== undefined) this.#window.settle(this.#window.to);
  }

  end(): Rejection | undefined {
    const { from, to } = this.#window;
    const isWhole = from === to && this.#skipped === 0;
    const truncatedAt = isWhole ? undefined : this.#cutAt(from, "the source ends inside a result");
    return this.#broken ?? truncatedAt;
  }

  /** Returns where the next message begins; `undefined` if this one is incomplete. */
  #message(at: number): number | undefined {
    const { bytes, to } = this.#window;
    if (this.#skipped > 0) return this.#skip(at);
    if (at === to) return undefined;
    const first = bytes[at] as number;
    const lengthBytes = first < 0x80 ? 1 : 0x101 - first;
    if (lengthBytes > LENGTH_BYTES_MAX) {
      this.#broken = this.#cutAt(at, "cannot read from here on: got no valid result length");
      return undefined;
    }
    const from = at + lengthBytes;
    if (from > to) return undefined;
    const length = new GobBytes(bytes, at, from).unsigned();
    if (length > RECORD_BYTES_MAX) {
      const reason = `the result is too long: got ${length} bytes, want at most 1 MiB (attack with -max-body 0)`;
      this.#count += 1;
      this.#reject(at, reason);
      this.#skipped = length;
      return from;
    }
    if (from + length > to) return undefined;
    this.#take(at, new GobBytes(bytes, from, from + length));
    return from + length;
  }

  #skip(at: number): number | undefined {
    const length = Math.min(this.#skipped, this.#window.to - at);
    this.#skipped -= length;
    return length === 0 ? undefined : at + length;
  }

  #take(at: number, message: GobBytes): void {
    let reason: string | undefined;
    try {
      const id = message.signed();
      if (id < 0) this.#types.define(-id, message);
      else {
        this.#count += 1;
        reason = this.#takeResult(this.#types.struct(id, message));
      }
    } catch (error) {
      if (!(error instanceof GobError)) throw error;
      reason = `cannot read the result: ${error.message}`;
    }
    if (reason !== undefined) this.#reject(at, reason);
    else this.#results.rows.repairs.report(this.#sink, this.#place(at));
  }

  #takeResult(values: ReadonlyMap<string, GobValue>): string | undefined {
    const start = startOf(values.get("Timestamp"));
    if (start === undefined) return "cannot read the result: it has no timestamp";
    const [code, latencyNanos, bytesIn] = ["Code", "Latency", "BytesIn"].map((name) =>
      wholeOf(values.get(name)),
    );
    if (code === undefined) return "cannot read the result: want the code as a whole number";
    const text = (name: string): string => textOf(values.get(name));
    return this.#results.take({
      ...start,
      code,
      latencyNanos,
      bytesIn,
      error: text("Error"),
      attack: text("Attack"),
      method: text("Method"),
      url: text("URL"),
      sentBytes: wholeOf(values.get("BytesOut")),
      body: () => utf8.decode(bytesOf(values.get("Body"))),
    });
  }

  /** There are no lines: results are counted. */
  #reject(at: number, reason: string): void {
    this.#sink.reject({ ...this.#place(at), reason });
  }

  #place(at: number): { line: number; byte: number } {
    return { line: Math.max(1, this.#count), byte: this.#window.offsetOf(at) };
  }

  #cutAt(at: number, reason: string): Rejection {
    return { line: this.#count + 1, byte: this.#window.offsetOf(at), reason };
  }
}

/** Version, seconds, nanoseconds. */
function startOf(time: GobValue | undefined) {
  if (!(time instanceof Uint8Array) || time.length < TIME_BYTES_MIN) return undefined;
  const [seconds, nanos] = [viewOf(time).getBigInt64(1), viewOf(time).getInt32(9)];
  return {
    second: Number(seconds - SECONDS_BEFORE_1970),
    millis: Math.floor(nanos / NANOS_PER_MS),
  };
}

function bytesOf(value: GobValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}

/** Zero values are not written. */
function wholeOf(value: GobValue = 0): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function textOf(value: GobValue = ""): string {
  return typeof value === "string" ? value : "";
}

/** A defined or built-in type. */
type GobType =
  | { readonly kind: "signed" | "unsigned" | "float" | "complex" | "bytes" | "text" | "interface" }
  | { readonly kind: "struct"; readonly name: string; readonly fields: readonly GobField[] }
  | { readonly kind: "map"; readonly key: number; readonly element: number }
  | { readonly kind: "list"; readonly element: number };

interface GobField {
  readonly name: string;
  readonly type: number;
}

type GobValue = number | string | Uint8Array;

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

/** Of the fields of a struct and of defined types, in which definitions of a byte each would take much memory. Vegeta writes 14 and 4. */
const FIELDS_MAX = 100;
const TYPES_MAX = 100;

class GobTypes {
  readonly #types = new Map(BUILT_IN);

  /** Throws `GobError`. */
  define(id: number, bytes: GobBytes): GobType {
    const type = readDefinition(bytes);
    if (this.#types.size >= TYPES_MAX && !this.#types.has(id)) {
      throw new GobError(`more than ${TYPES_MAX} types`);
    }
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
    else {
      const count = bytes.unsigned();
      if (count > FIELDS_MAX) throw new GobError(`a struct of more than ${FIELDS_MAX} fields`);
      while (fields.length < count) fields.push(readNamed(bytes));
    }
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
class GobError extends Error {}

const NUMBER_BYTES_MAX = 8;

/** Reads numbers and texts of Go's gob encoding. Throws `GobError`. */
class GobBytes {
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
