import { BytesCache } from "../bytes/byte-table.ts";
import { isAt } from "../bytes/byte-words.ts";
import { attributeNamed, attributeText, type Json } from "./json-values.ts";
import { protoObject, resourceJson, scopeName, SPAN, valueJson } from "./proto-objects.ts";
import { ProtoReader } from "./proto-reader.ts";
import {
  clearSpan,
  emptySpan,
  isNamedByMethod,
  millisOfNanos,
  secondOfNanos,
  setAttribute,
  type Span,
  SPAN_ATTRIBUTES,
  type SpanAttribute,
  SPAN_OUTCOMES,
  type SpanSink,
} from "./span.ts";

const WORD = 2 ** 32;

const utf8 = new TextDecoder();
const textOf = (bytes: Uint8Array): string => utf8.decode(bytes);

/** Texts that recur from body to body: names, methods, messages. */
const texts = new BytesCache(textOf);
/** Most attributes are identified by the length of their name. */
const NAME_LENGTHS = SPAN_ATTRIBUTES.keys().reduce((bits, { length }) => bits | (1 << length), 0);
const known = new BytesCache((bytes) => SPAN_ATTRIBUTES.get(textOf(bytes)));

/** Names that a sink asks for. */
type Names = readonly { readonly name: string; readonly bytes: Buffer }[];

/** Passes on each span of a binary `ExportTraceServiceRequest` before the next is read, and yields. Throws `ProtoError` after earlier spans. */
export function* readSpans(bytes: Uint8Array, sink: SpanSink): Generator<void> {
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
  yield;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 2) yield* readScope(reader, { resource, sink, names });
    else reader.skip();
  }
  reader.leave(outer);
}

function* readScope(
  reader: ProtoReader,
  { resource, sink, names }: { resource: Json; sink: SpanSink; names: Names },
): Generator<void> {
  const outer = reader.enter();
  const { at } = reader;
  let scope = "";
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 1) scope = scopeName(reader);
    else reader.skip();
  }
  const { attributes } = resource;
  sink.begin(attributeNamed(attributes, "service.name"), scope, attributes);
  yield;
  reader.at = at;
  const span = emptySpan();
  span.whole = () => protoObject(reader.bytes.subarray(bounds.from, bounds.until), SPAN);
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 2) {
      readSpan(reader, span, names);
      sink.take(span);
      yield;
    } else reader.skip();
  }
  reader.leave(outer);
}

/** Of the last span. */
const bounds = { from: 0, until: 0 };

/** Bounds of the URL, which is decoded only where it is needed. */
const url = { from: 0, until: 0 };

function readSpan(reader: ProtoReader, span: Span, names: Names): void {
  const outer = reader.enter();
  const { view } = reader;
  clearSpan(span);
  bounds.from = reader.at;
  bounds.until = reader.to;
  url.until = 0;
  let [startLow, startHigh, endLow, endHigh] = [0, 0, 0, 0];
  span.idHigh = 0;
  span.idLow = 0;
  for (let field = reader.field(); field !== 0; field = reader.field()) {
    if (field === 9) readAttribute(reader, span, names);
    else if (field === 2) {
      reader.range();
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
    span.url = textOf(reader.bytes.subarray(url.from, url.until));
  }
  reader.leave(outer);
}

function readDescription(reader: ProtoReader, field: number, span: Span): void {
  if (field === 5) span.name = readText(reader);
  else if (field === 6 && reader.isVarint) span.kind = reader.varint();
  else if (field === 15) readStatus(reader, span);
  else reader.skip();
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
      span.asked = [...span.asked, [asked, value]];
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
