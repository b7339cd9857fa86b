import { UserError, errorMessage } from "../../model/errors.ts";
import { BytesCache, isAt } from "../bytes/byte-table.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { type JsonPart, JsonText, JsonTextError, isTooLong } from "./json-text.ts";
import {
  type Json,
  attributeNamed,
  attributeText,
  enumOf,
  jsonOf,
  listOf,
  textOf,
  wideOf,
} from "./json-values.ts";
import {
  METRIC_KINDS,
  type MetricPoint,
  type PointFault,
  type PointList,
  metricPoints,
} from "./metric-points.ts";
import {
  SPAN,
  protoObject,
  protoPointLists,
  resourceJson,
  scopeName,
  valueJson,
} from "./proto-objects.ts";
import { ProtoError, ProtoReader } from "./proto-reader.ts";
import {
  SPAN_ATTRIBUTES,
  SPAN_OUTCOMES,
  type Span,
  type SpanAttribute,
  type SpanSink,
  clearSpan,
  emptySpan,
  isNamedByMethod,
  millisOfNanos,
  secondOfNanos,
  setAsked,
  setAttribute,
} from "./span.ts";

export type OtlpForm = "protobuf" | "json";

/** Reads the spans of an `ExportTraceServiceRequest`. Yields at least once per span. Throws `bad-batch`; spans before the fault have been passed on then. */
export function readTraces(body: Uint8Array, form: OtlpForm, sink: SpanSink): Generator<void> {
  return checked(form === "json" ? readJsonSpans(new JsonText(body), sink) : readSpans(body, sink));
}

/** Reads an `ExportMetricsServiceRequest`. Yields at least once per metric. Throws `bad-batch`, also from the points. */
export function readMetrics(
  body: Uint8Array,
  form: OtlpForm,
): Generator<MetricPoint | PointFault | undefined> {
  return checked(
    metricPoints(form === "json" ? jsonPointLists(new JsonText(body)) : protoPointLists(body)),
  );
}

function* checked<Item>(items: Generator<Item>): Generator<Item> {
  try {
    yield* items;
  } catch (error) {
    const isFault = error instanceof ProtoError || error instanceof JsonTextError;
    throw isFault ? notOtlp(error) : error;
  }
}

function notOtlp(error: unknown): UserError {
  const reason = errorMessage(error);
  return new UserError("bad-batch", `cannot read the body as OTLP: ${reason}`);
}

/** Names that writers of Protocol Buffers' own JSON give for numbers. */
const SPAN_KINDS = [
  "SPAN_KIND_UNSPECIFIED",
  "SPAN_KIND_INTERNAL",
  "SPAN_KIND_SERVER",
  "SPAN_KIND_CLIENT",
  "SPAN_KIND_PRODUCER",
  "SPAN_KIND_CONSUMER",
];
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

const WORD_BITS = 32n;
const SPAN_ID = /^[0-9a-f]{16}$/i;

/** What a body may have instead: sent to the wrong path, or with other names than OTLP/JSON has. */
const OTHER_ROOTS = [
  "resourceSpans",
  "resourceMetrics",
  "resourceLogs",
  "resource_spans",
  "resource_metrics",
];

/** Unknown members are ignored, but not those that would be lost. Throws `JsonTextError`. */
function rootOf(json: JsonText, name: string): JsonPart | undefined {
  const root = json.root(name);
  const other = root ?? OTHER_ROOTS.find((each) => json.root(each) !== undefined);
  if (typeof other === "string") throw new JsonTextError(`got ${other}, want ${name}`);
  return root;
}

function* jsonPointLists(json: JsonText): Generator<PointList | undefined> {
  for (const resourceMetrics of json.elements(rootOf(json, "resourceMetrics"))) {
    const [given, scopes] = json.members(resourceMetrics, ["resource", "scopeMetrics"]);
    const resource = jsonOf(json.value(given));
    yield undefined;
    for (const scopeMetrics of json.elements(scopes)) {
      const [about, metrics] = json.members(scopeMetrics, ["scope", "metrics"]);
      const scope = textOf(jsonOf(json.value(about))["name"]);
      yield undefined;
      for (const metric of json.elements(metrics)) {
        yield undefined;
        yield* listsOfMetric(json, metric, { resource, scope });
      }
    }
  }
}

function* listsOfMetric(
  json: JsonText,
  metric: JsonPart,
  about: Pick<PointList, "resource" | "scope">,
): Generator<PointList> {
  const [name, unit, ...kinds] = json.members(metric, ["name", "unit", ...METRIC_KINDS]);
  const names = { name: json.value(name), unit: json.value(unit) };
  for (const [index, kind] of METRIC_KINDS.entries()) {
    const [temporality, isMonotonic, points] = json.members(kinds[index], [
      "aggregationTemporality",
      "isMonotonic",
      "dataPoints",
    ]);
    const shared = {
      aggregationTemporality: json.value(temporality),
      isMonotonic: json.value(isMonotonic),
    };
    yield { ...about, names, kind, shared, points: valuesOf(json, points) };
  }
}

function* valuesOf(json: JsonText, list: JsonPart | undefined): Generator<Json | "too-long"> {
  for (const each of json.elements(list)) {
    yield isTooLong(each) ? "too-long" : jsonOf(json.value(each));
  }
}

/** Reads an `ExportTraceServiceRequest` of OTLP/JSON. */
function* readJsonSpans(json: JsonText, sink: SpanSink): Generator<void> {
  const span = emptySpan();
  for (const resourceSpans of json.elements(rootOf(json, "resourceSpans"))) {
    const [resource, scopes] = json.members(resourceSpans, ["resource", "scopeSpans"]);
    const { attributes } = jsonOf(json.value(resource));
    const service = attributeNamed(attributes, "service.name");
    yield;
    for (const scopeSpans of json.elements(scopes)) {
      const [scope, spans] = json.members(scopeSpans, ["scope", "spans"]);
      sink.begin(service, textOf(jsonOf(json.value(scope))["name"]), attributes);
      yield;
      for (const given of valuesOf(json, spans)) {
        if (given === "too-long") sink.refuse();
        else {
          fillSpan(span, given, sink.asked);
          sink.take(span);
        }
        yield;
      }
    }
  }
}

function fillSpan(span: Span, given: Json, asked: readonly string[]): void {
  clearSpan(span);
  const id = textOf(given["spanId"]);
  const isId = SPAN_ID.test(id);
  span.idHigh = isId ? Number.parseInt(id.slice(0, 8), 16) : 0;
  span.idLow = isId ? Number.parseInt(id.slice(8), 16) : 0;
  span.name = textOf(given["name"]);
  span.kind = enumOf(given["kind"], SPAN_KINDS);
  const [start, end] = [wideOf(given["startTimeUnixNano"]), wideOf(given["endTimeUnixNano"])];
  const low = Number(BigInt.asUintN(32, start));
  span.second = secondOfNanos(low, Number(BigInt.asUintN(32, start >> WORD_BITS)));
  span.millis = millisOfNanos(low, span.second);
  span.whole = () => given;
  span.ids = () => {
    const [traceId, spanId, parentId] = ["traceId", "spanId", "parentSpanId"].map((member) =>
      textOf(given[member]).toLowerCase(),
    ) as [string, string, string];
    return { traceId, spanId, parentId };
  };
  span.elapsedNanos = Number(end - start);
  const status = jsonOf(given["status"]);
  span.outcome = SPAN_OUTCOMES[enumOf(status["code"], STATUS_CODES)] ?? "unset";
  span.message = textOf(status["message"]);
  for (const each of listOf(given["attributes"]).map(jsonOf)) {
    const name = textOf(each["key"]);
    const attribute = SPAN_ATTRIBUTES.get(name);
    const value = attributeText(each["value"]) ?? "";
    if (attribute !== undefined) setAttribute(span, attribute, value);
    if (asked.includes(name)) setAsked(span, name, value);
  }
}

const WORD = 2 ** 32;

const utf8 = new TextDecoder();
const spanText = (bytes: Uint8Array): string => utf8.decode(bytes);

/** Texts that recur from body to body: names, methods, messages. */
const texts = new BytesCache(spanText);
/** Most attributes are identified by the length of their name. */
const NAME_LENGTHS = SPAN_ATTRIBUTES.keys().reduce((bits, { length }) => bits | (1 << length), 0);
const known = new BytesCache((bytes) => SPAN_ATTRIBUTES.get(spanText(bytes)));

/** Names that a sink asks for. */
type Names = readonly { readonly name: string; readonly bytes: Buffer }[];

/** Passes on each span of a binary `ExportTraceServiceRequest` before the next is read, and yields. Throws `ProtoError` after earlier spans. */
function* readSpans(bytes: Uint8Array, sink: SpanSink): Generator<void> {
  const reader = new ProtoReader(bytes);
  const names = sink.asked.map((name) => ({ name, bytes: Buffer.from(name) }));
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) yield* readResource(reader, sink, names);
    else reader.skip();
  }
}

/** Fields may come in any order: the resource is looked for first. */
function* readResource(reader: ProtoReader, sink: SpanSink, names: Names): Generator<void> {
  const outer = reader.enter();
  const { at } = reader;
  let resource: Json = {};
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) resource = resourceJson(reader);
    else reader.skip();
  }
  reader.at = at;
  const { attributes } = resource;
  const service = attributeNamed(attributes, "service.name");
  yield;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 2) yield* readScope(reader, { attributes, service, sink, names });
    else reader.skip();
  }
  reader.leave(outer);
}

interface ScopeGiven {
  readonly attributes: unknown;
  readonly service: string;
  readonly sink: SpanSink;
  readonly names: Names;
}

function* readScope(
  reader: ProtoReader,
  { attributes, service, sink, names }: ScopeGiven,
): Generator<void> {
  const outer = reader.enter();
  const { at } = reader;
  let scope = "";
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) scope = scopeName(reader);
    else reader.skip();
  }
  sink.begin(service, scope, attributes);
  yield;
  reader.at = at;
  const span = emptySpan();
  // One with very many attributes has no details.
  span.whole = () => jsonOf(protoObject(reader.bytes.subarray(bounds.from, bounds.until), SPAN));
  span.ids = () => ({
    traceId: hexAt(reader.bytes, idBounds.trace),
    spanId: hexAt(reader.bytes, idBounds.span),
    parentId: hexAt(reader.bytes, idBounds.parent),
  });
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 2) {
      if (readSpan(reader, span, names)) sink.take(span);
      else sink.refuse();
      yield;
    } else reader.skip();
  }
  reader.leave(outer);
}

const bounds = { from: 0, until: 0 };

/** Of the ids, which are decoded only where they are needed. */
const idBounds = {
  trace: { from: 0, until: 0 },
  span: { from: 0, until: 0 },
  parent: { from: 0, until: 0 },
};
const ID_BOUNDS = Object.values(idBounds);

function hexAt({ buffer, byteOffset }: Uint8Array, { from, until }: typeof bounds): string {
  return until === 0 ? "" : Buffer.from(buffer, byteOffset + from, until - from).toString("hex");
}

function boundTo(place: typeof bounds, { from, until }: ProtoReader): void {
  place.from = from;
  place.until = until;
}

/** Bounds of the URL, which is decoded only where it is needed. */
const url = { from: 0, until: 0 };

/** Returns whether it could be read: has at most `RECORD_BYTES_MAX`. */
function readSpan(reader: ProtoReader, span: Span, names: Names): boolean {
  const outer = reader.enter();
  if (reader.to - reader.at > RECORD_BYTES_MAX) {
    reader.leave(outer);
    return false;
  }
  const { view } = reader;
  clearSpan(span);
  bounds.from = reader.at;
  bounds.until = reader.to;
  url.until = 0;
  for (const place of ID_BOUNDS) place.until = 0;
  let [startLow, startHigh, endLow, endHigh] = [0, 0, 0, 0];
  span.idHigh = 0;
  span.idLow = 0;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 9) readAttribute(reader, span, names);
    else if (field === 2) {
      reader.range();
      boundTo(idBounds.span, reader);
      if (reader.until - reader.from !== 8) continue;
      span.idHigh = view.getUint32(reader.from);
      span.idLow = view.getUint32(reader.from + 4);
    } else if (field === 7) {
      const at = reader.fixed64();
      startLow = view.getUint32(at, true);
      startHigh = view.getUint32(at + 4, true);
    } else if (field === 8) {
      const at = reader.fixed64();
      endLow = view.getUint32(at, true);
      endHigh = view.getUint32(at + 4, true);
    } else readDescription(reader, field, span);
  }
  span.second = secondOfNanos(startLow, startHigh);
  span.millis = millisOfNanos(startLow, span.second);
  span.elapsedNanos = (endHigh - startHigh) * WORD + (endLow - startLow);
  if (url.until > 0 && isNamedByMethod(span)) {
    span.url = spanText(reader.bytes.subarray(url.from, url.until));
  }
  reader.leave(outer);
  return true;
}

function readDescription(reader: ProtoReader, field: number, span: Span): void {
  if (field === 5) span.name = readText(reader);
  else if (field === 6 && reader.isVarint) span.kind = reader.varint();
  else if (field === 15) readStatus(reader, span);
  else if (field === 1 || field === 4) {
    reader.range();
    boundTo(field === 1 ? idBounds.trace : idBounds.parent, reader);
  } else reader.skip();
}

function readAttribute(reader: ProtoReader, span: Span, names: Names): void {
  const outer = reader.enter();
  let attribute: SpanAttribute | undefined;
  let asked: string | undefined;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) {
      reader.range();
      attribute = attributeAt(reader);
      asked = nameAt(reader, names);
      if (attribute === undefined && asked === undefined) break;
    } else if (field !== 2) reader.skip();
    else if (asked !== undefined) {
      const value = attributeText(valueJson(reader)) ?? "";
      setAsked(span, asked, value);
      if (attribute !== undefined) setAttribute(span, attribute, value);
    } else if (attribute !== undefined) readValue(reader, span, attribute);
    else reader.skip();
  }
  reader.leave(outer);
}

function attributeAt({ bytes, from, until }: ProtoReader): SpanAttribute | undefined {
  const length = until - from;
  if (length > 31 || (NAME_LENGTHS & (1 << length)) === 0) return undefined;
  return known.at(bytes, from, until);
}

function nameAt({ bytes, from, until }: ProtoReader, names: Names): string | undefined {
  for (const each of names) {
    if (each.bytes.length === until - from && isAt(bytes, from, each.bytes)) return each.name;
  }
  return undefined;
}

function readValue(reader: ProtoReader, span: Span, attribute: SpanAttribute): void {
  const outer = reader.enter();
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) readTextOf(reader, span, attribute);
    else if (field === 3 && attribute === "status" && reader.isVarint) {
      span.httpStatus = reader.varint();
    } else reader.skip();
  }
  reader.leave(outer);
}

function readTextOf(reader: ProtoReader, span: Span, attribute: SpanAttribute): void {
  if (attribute === "url") {
    reader.range();
    url.from = reader.from;
    url.until = reader.until;
  } else if (attribute === "method") span.method = readText(reader).toUpperCase();
  else if (attribute === "error") span.errorType = readText(reader);
  else span.httpStatus = Number(readText(reader)) || 0;
}

function readStatus(reader: ProtoReader, span: Span): void {
  const outer = reader.enter();
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 2) span.message = readText(reader);
    else if (field === 3 && reader.isVarint) {
      span.outcome = SPAN_OUTCOMES[reader.varint()] ?? "unset";
    } else reader.skip();
  }
  reader.leave(outer);
}

function readText(reader: ProtoReader): string {
  reader.range();
  return texts.at(reader.bytes, reader.from, reader.until);
}
