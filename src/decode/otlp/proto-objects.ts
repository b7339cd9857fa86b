import { type Json, jsonOf, textOf } from "./json-values.ts";
import { ProtoError, ProtoReader } from "./proto-reader.ts";

type Scalar = "text" | "fixed64" | "sfixed64" | "double" | "uint64" | "int64" | "sint32" | "bool";

/** A field: its name in OTLP/JSON, ending in `[]` for a list, and its type. */
type Field = readonly [name: string, type: Scalar | Message];

/** The fields of a message by number; others are passed over. */
interface Message {
  readonly [field: number]: Field;
}

const VALUE: Message = {
  1: ["stringValue", "text"],
  2: ["boolValue", "bool"],
  3: ["intValue", "int64"],
  4: ["doubleValue", "double"],
};
const ATTRIBUTE: Message = { 1: ["key", "text"], 2: ["value", VALUE] };

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

const BUCKETS: Message = { 1: ["offset", "sint32"], 2: ["bucketCounts[]", "uint64"] };

const EXPONENTIAL_POINT: Message = {
  1: ["attributes[]", ATTRIBUTE],
  2: ["startTimeUnixNano", "fixed64"],
  3: ["timeUnixNano", "fixed64"],
  4: ["count", "fixed64"],
  5: ["sum", "double"],
  6: ["scale", "sint32"],
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

const TEMPORALITY: Field = ["aggregationTemporality", "uint64"];

const METRIC: Message = {
  1: ["name", "text"],
  3: ["unit", "text"],
  5: ["gauge", { 1: ["dataPoints[]", NUMBER_POINT] }],
  7: [
    "sum",
    {
      1: ["dataPoints[]", NUMBER_POINT],
      2: TEMPORALITY,
      3: ["isMonotonic", "bool"],
    },
  ],
  9: ["histogram", { 1: ["dataPoints[]", HISTOGRAM_POINT], 2: TEMPORALITY }],
  10: ["exponentialHistogram", { 1: ["dataPoints[]", EXPONENTIAL_POINT], 2: TEMPORALITY }],
  11: ["summary", { 1: ["dataPoints[]", SUMMARY_POINT] }],
};

const RESOURCE: Message = { 1: ["attributes[]", ATTRIBUTE] };
const SCOPE: Message = { 1: ["name", "text"] };

const RESOURCE_METRICS: Message = {
  1: ["resource", RESOURCE],
  2: ["scopeMetrics[]", { 1: ["scope", SCOPE], 2: ["metrics[]", METRIC] }],
};

const METRICS_REQUEST: Message = { 1: ["resourceMetrics[]", RESOURCE_METRICS] };

const utf8 = new TextDecoder();

/** Elements of all lists of a body: each takes some 100 bytes of memory. */
const ELEMENTS_MAX = 1_000_000;

interface Source {
  readonly reader: ProtoReader;
  elements: number;
}

/** Reads a binary `ExportMetricsServiceRequest` as OTLP/JSON with 64-bit integers as `bigint`. Throws `ProtoError`. */
export function metricsJson(bytes: Uint8Array): Json {
  return readMessage({ reader: new ProtoReader(bytes), elements: 0 }, METRICS_REQUEST);
}

/** Reads the current field, a resource. Throws `ProtoError`. */
export function resourceJson(reader: ProtoReader): Json {
  return jsonOf(readValue({ reader, elements: 0 }, RESOURCE));
}

/** Reads the current field, an instrumentation scope. Throws `ProtoError`. */
export function scopeName(reader: ProtoReader): string {
  return textOf(jsonOf(readValue({ reader, elements: 0 }, SCOPE))["name"]);
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
  const before = list.length;
  if (typeof type === "object" || !reader.isRange) list.push(readValue(source, type));
  else {
    const outer = reader.enter();
    while (reader.at < reader.to) list.push(reader.wideVarint());
    reader.leave(outer);
  }
  source.elements += list.length - before;
  if (source.elements > ELEMENTS_MAX) {
    throw new ProtoError(`it has more than ${ELEMENTS_MAX} values: send smaller bodies`);
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
  if (type === "double") return reader.view.getFloat64(reader.fixed64(), true);
  if (type === "fixed64") return reader.view.getBigUint64(reader.fixed64(), true);
  if (type === "sfixed64") return reader.view.getBigInt64(reader.fixed64(), true);
  return readVarint(reader, type);
}

function readVarint(reader: ProtoReader, type: "uint64" | "int64" | "sint32" | "bool"): unknown {
  if (!reader.isVarint) throw new ProtoError("a field has another type than expected");
  const value = reader.wideVarint();
  if (type === "bool") return value !== 0n;
  if (type === "int64") return BigInt.asIntN(64, value);
  if (type === "sint32") return (value & 1n) === 0n ? value >> 1n : -(value >> 1n) - 1n;
  return BigInt.asUintN(64, value);
}
