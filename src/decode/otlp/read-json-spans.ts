import {
  attributeNamed,
  attributeText,
  type Json,
  jsonOf,
  listOf,
  textOf,
  wideOf,
} from "./json-values.ts";
import {
  clearSpan,
  emptySpan,
  secondOfNanos,
  type Span,
  SPAN_ATTRIBUTES,
  SPAN_OUTCOMES,
  type SpanSink,
} from "./span.ts";

const WORD_BITS = 32n;
const SPAN_ID = /^[0-9a-f]{16}$/i;

/** Reads an `ExportTraceServiceRequest` of OTLP/JSON. */
export function readJsonSpans(body: Json, sink: SpanSink): void {
  const span = emptySpan();
  for (const resourceSpans of listOf(body["resourceSpans"]).map(jsonOf)) {
    const service = attributeNamed(jsonOf(resourceSpans["resource"])["attributes"], "service.name");
    for (const scopeSpans of listOf(resourceSpans["scopeSpans"]).map(jsonOf)) {
      sink.begin(service, textOf(jsonOf(scopeSpans["scope"])["name"]));
      for (const given of listOf(scopeSpans["spans"])) {
        fillSpan(span, jsonOf(given));
        sink.take(span);
      }
    }
  }
}

function fillSpan(span: Span, given: Json): void {
  clearSpan(span);
  const id = textOf(given["spanId"]);
  const isId = SPAN_ID.test(id);
  span.idHigh = isId ? Number.parseInt(id.slice(0, 8), 16) : 0;
  span.idLow = isId ? Number.parseInt(id.slice(8), 16) : 0;
  span.name = textOf(given["name"]);
  span.kind = Number(wideOf(given["kind"]));
  const [start, end] = [wideOf(given["startTimeUnixNano"]), wideOf(given["endTimeUnixNano"])];
  span.second = secondOfNanos(
    Number(BigInt.asUintN(32, start)),
    Number(BigInt.asUintN(32, start >> WORD_BITS)),
  );
  span.elapsedNanos = Number(end - start);
  const status = jsonOf(given["status"]);
  span.outcome = SPAN_OUTCOMES[Number(wideOf(status["code"]))] ?? "unset";
  span.message = textOf(status["message"]);
  for (const each of listOf(given["attributes"]).map(jsonOf)) {
    const attribute = SPAN_ATTRIBUTES.get(textOf(each["key"]));
    const value = attributeText(each["value"]) ?? "";
    if (attribute === "method") span.method = value.toUpperCase();
    else if (attribute === "url") span.url = value;
    else if (attribute === "status") span.httpStatus = Number(value) || 0;
    else if (attribute === "error") span.errorType = value;
  }
}
