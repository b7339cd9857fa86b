import { RECORD_BYTES_MAX } from "../decoder.ts";
import { type Json, jsonOf, textOf } from "./json-values.ts";
import {
  ELEMENTS_MAX,
  RECORD_ELEMENTS_MAX,
  type MetricKind,
  type PointList,
} from "./metric-points.ts";
import { ProtoError, ProtoReader } from "./proto-reader.ts";

type Varint = "uint64" | "int64" | "sint" | "bool";
type Scalar = "text" | "hex" | "fixed64" | "sfixed64" | "double" | Varint;

/** A field: its name in OTLP/JSON, ending in `[]` for a list, and its type. */
type Field = readonly [name: string, type: Scalar | Message];

/** The fields of a message by number; others are passed over. */
export interface Message {
  readonly [field: number]: Field;
}

const VALUE: Message = {
  1: ["stringValue", "text"],
  2: ["boolValue", "bool"],
  3: ["intValue", "int64"],
  4: ["doubleValue", "double"],
};
const ATTRIBUTE: Message = { 1: ["key", "text"], 2: ["value", VALUE] };

const TEXTS: Message = {
  ...VALUE,
  5: ["arrayValue", { 1: ["values[]", VALUE] }],
};
const EVENT: Message = { 2: ["name", "text"], 3: ["attributes[]", ATTRIBUTE] };

/** A span without what is read of each. */
export const SPAN: Message = {
  1: ["traceId", "hex"],
  2: ["spanId", "hex"],
  9: ["attributes[]", { 1: ["key", "text"], 2: ["value", TEXTS] }],
  11: ["events[]", EVENT],
};

const NUMBER_POINT: Message = {
  2: ["startTimeUnixNano", "fixed64"],
  3: ["timeUnixNano", "fixed64"],
  4: ["asDouble", "double"],
  6: ["asInt", "sfixed64"],
  7: ["attributes[]", ATTRIBUTE],
  8: ["flags", "uint64"],
};

const HISTOGRAM_POINT: Message = {
  2: ["startTimeUnixNano", "fixed64"],
  3: ["timeUnixNano", "fixed64"],
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  9: ["attributes[]", ATTRIBUTE],
  10: ["flags", "uint64"],
  11: ["min", "double"],
  12: ["max", "double"],
};

const BUCKETS: Message = { 1: ["offset", "sint"], 2: ["bucketCounts[]", "uint64"] };

const EXPONENTIAL_POINT: Message = {
  1: ["attributes[]", ATTRIBUTE],
  2: ["startTimeUnixNano", "fixed64"],
  3: ["timeUnixNano", "fixed64"],
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["scale", "sint"],
  7: ["zeroCount", "fixed64"],
  8: ["positive", BUCKETS],
  9: ["negative", BUCKETS],
  10: ["flags", "uint64"],
  12: ["min", "double"],
  13: ["max", "double"],
};

const SUMMARY_POINT: Message = {
  2: ["startTimeUnixNano", "fixed64"],
  3: ["timeUnixNano", "fixed64"],
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["quantileValues[]", { 1: ["quantile", "double"], 2: ["value", "double"] }],
  7: ["attributes[]", ATTRIBUTE],
  8: ["flags", "uint64"],
};

const SHARED: Message = {
  2: ["aggregationTemporality", "uint64"],
  3: ["isMonotonic", "bool"],
};

/** The kinds of metrics by their field; each has its points in the field 1. */
const KINDS: ReadonlyMap<number, readonly [kind: MetricKind, point: Message]> = new Map([
  [5, ["gauge", NUMBER_POINT]],
  [7, ["sum", NUMBER_POINT]],
  [9, ["histogram", HISTOGRAM_POINT]],
  [10, ["exponentialHistogram", EXPONENTIAL_POINT]],
  [11, ["summary", SUMMARY_POINT]],
]);
const NAMES: Message = { 1: ["name", "text"], 3: ["unit", "text"] };

const RESOURCE: Message = { 1: ["attributes[]", ATTRIBUTE] };
const SCOPE: Message = { 1: ["name", "text"] };

const utf8 = new TextDecoder();

interface Source {
  readonly reader: ProtoReader;
  elements: number;
  /** Of `elements`, those before the record that is being read. */
  before: number;
}

/** A record, or a resource, that has too many values. */
class RecordError extends ProtoError {}

function sourceOf(reader: ProtoReader): Source {
  return { reader, elements: 0, before: 0 };
}

/**
 * The points of a binary `ExportMetricsServiceRequest`, with integers of 64 bits as `bigint`; those of a list are read before the
 * next one. `undefined` now and then. Throws `ProtoError`.
 */
export function* protoPointLists(bytes: Uint8Array): Generator<PointList | undefined> {
  const source = sourceOf(new ProtoReader(bytes));
  for (const _ of messagesIn(source, 1)) {
    yield undefined;
    // Fields may come in any order.
    yield* listsOfResource(source, fieldIn(source, 1, RESOURCE));
  }
}

function* listsOfResource(source: Source, resource: Json): Generator<PointList | undefined> {
  for (const _ of messagesIn(source, 2)) {
    yield undefined;
    const scope = textOf(fieldIn(source, 1, SCOPE)["name"]);
    yield* listsOfScope(source, { resource, scope });
  }
}

function* listsOfScope(
  source: Source,
  about: Pick<PointList, "resource" | "scope">,
): Generator<PointList | undefined> {
  for (const _ of messagesIn(source, 2)) {
    yield undefined;
    yield* listsOfMetric(source, about);
  }
}

function* listsOfMetric(
  source: Source,
  about: Pick<PointList, "resource" | "scope">,
): Generator<PointList> {
  const { reader } = source;
  const names = peeked(source, NAMES);
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    const known = KINDS.get(field);
    if (known === undefined) reader.skip();
    else {
      const [kind, point] = known;
      const outer = reader.enter();
      yield {
        ...about,
        names,
        kind,
        shared: peeked(source, SHARED),
        points: recordsIn(source, 1, point),
      };
      reader.leave(outer);
    }
  }
}

/** The messages in a field of a binary message, integers of 64 bits as `bigint`; `too-long` as `protoObject`. Throws `ProtoError`. */
export function protoRecords(
  bytes: Uint8Array,
  field: number,
  message: Message,
): Generator<Json | "too-long"> {
  return recordsIn(sourceOf(new ProtoReader(bytes)), field, message);
}

/** A binary message; `too-long` for one of too many values. Throws `ProtoError`. */
export function protoObject(bytes: Uint8Array, message: Message): Json | "too-long" {
  return readRecord(sourceOf(new ProtoReader(bytes)), message);
}

/** The texts in a field of a binary message. Throws `ProtoError`. */
export function* protoTexts(bytes: Uint8Array, number: number): Generator<string> {
  const source = sourceOf(new ProtoReader(bytes));
  const { reader } = source;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === number) {
      source.before = source.elements;
      countElements(source, 1);
      yield textOf(readValue(source, "text"));
    } else reader.skip();
  }
}

function* recordsIn(source: Source, field: number, message: Message): Generator<Json | "too-long"> {
  for (const _ of messagesIn(source, field)) yield readRecord(source, message);
}

/** The current message; `too-long` for one of over `RECORD_BYTES_MAX` or `RECORD_ELEMENTS_MAX`. */
function readRecord(source: Source, message: Message): Json | "too-long" {
  const { reader } = source;
  const { at, to } = reader;
  if (to - at > RECORD_BYTES_MAX) return "too-long";
  source.before = source.elements;
  try {
    return readMessage(source, message);
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    // Its lists may have been entered.
    reader.at = to;
    reader.to = to;
    return "too-long";
  }
}

/** Enters each message in the field `number` of the current one, and leaves it when the next is asked for. */
function* messagesIn(source: Source, number: number): Generator<void> {
  const { reader } = source;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === number) {
      source.before = source.elements;
      countElements(source, 1);
      const outer = reader.enter();
      yield;
      reader.leave(outer);
    } else reader.skip();
  }
}

/** The last message in the field `number` of the current one, which is then read from its beginning. */
function fieldIn(source: Source, number: number, message: Message): Json {
  return jsonOf(peeked(source, { [number]: ["found", message] })["found"]);
}

/** The current message, which is then read from its beginning. */
function peeked(source: Source, message: Message): Json {
  const { at } = source.reader;
  source.before = source.elements;
  const read = readMessage(source, message);
  source.reader.at = at;
  return read;
}

/** Reads the current field, a resource. Throws `ProtoError`. */
export function resourceJson(reader: ProtoReader): Json {
  return jsonOf(readValue(sourceOf(reader), RESOURCE));
}

/** Reads the current field, an instrumentation scope. Throws `ProtoError`. */
export function scopeName(reader: ProtoReader): string {
  return textOf(jsonOf(readValue(sourceOf(reader), SCOPE))["name"]);
}

/** Reads the current field, the value of an attribute. Throws `ProtoError`. */
export function valueJson(reader: ProtoReader): Json {
  return jsonOf(readValue(sourceOf(reader), VALUE));
}

function readMessage(source: Source, message: Message): Json {
  const { reader } = source;
  const read: Record<string, unknown> = {};
  for (let number = reader.field(); number !== 0; number = reader.field()) {
    const field = message[number];
    if (field === undefined) reader.skip();
    else if (field[0].endsWith("[]")) readElements(source, field, read);
    else read[field[0]] = readValue(source, field[1]);
  }
  return read;
}

/** Reads one element of a list, or several packed ones. */
function readElements(source: Source, [name, type]: Field, read: Record<string, unknown>): void {
  const { reader } = source;
  const list = (read[name.slice(0, -2)] ??= []) as unknown[];
  const isPacked = isVarint(type) && reader.isRange;
  if (!isPacked) {
    countElements(source, 1);
    list.push(readValue(source, type));
    return;
  }
  const outer = reader.enter();
  while (reader.at < reader.to) {
    countElements(source, 1);
    list.push(numberIn(reader.wideVarint(), type));
  }
  reader.leave(outer);
}

function countElements(source: Source, count: number): void {
  source.elements += count;
  if (source.elements > ELEMENTS_MAX) {
    throw new ProtoError(`it has more than ${ELEMENTS_MAX} values: send smaller bodies`);
  }
  if (source.elements - source.before > RECORD_ELEMENTS_MAX) {
    throw new RecordError(`a resource has more than ${RECORD_ELEMENTS_MAX} values`);
  }
}

function readValue(source: Source, type: Scalar | Message): unknown {
  const { reader } = source;
  if (typeof type === "object") {
    const outer = reader.enter();
    const read = readMessage(source, type);
    reader.leave(outer);
    return read;
  }
  if (type === "text") {
    reader.range();
    return utf8.decode(reader.bytes.subarray(reader.from, reader.until));
  }
  if (type === "hex") {
    reader.range();
    return Buffer.from(reader.bytes.subarray(reader.from, reader.until)).toString("hex");
  }
  if (type === "double") return reader.view.getFloat64(reader.fixed64(), true);
  if (type === "fixed64") return reader.view.getBigUint64(reader.fixed64(), true);
  if (type === "sfixed64") return reader.view.getBigInt64(reader.fixed64(), true);
  return readVarint(reader, type);
}

function isVarint(type: Scalar | Message): type is Varint {
  return type === "uint64" || type === "int64" || type === "sint" || type === "bool";
}

function readVarint(reader: ProtoReader, type: Varint): unknown {
  if (!reader.isVarint) throw new ProtoError("a field has another type than expected");
  return numberIn(reader.wideVarint(), type);
}

function numberIn(value: bigint, type: Varint): bigint | boolean {
  if (type === "bool") return value !== 0n;
  if (type === "int64") return BigInt.asIntN(64, value);
  if (type === "sint") return (value & 1n) === 0n ? value >> 1n : -(value >> 1n) - 1n;
  return BigInt.asUintN(64, value);
}
