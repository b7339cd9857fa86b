import { errorMessage, UserError } from "../../model/errors.ts";
import {
  attributeNamed,
  attributeText,
  type Json,
  jsonOf,
  listOf,
  textOf,
  wideOf,
} from "./json-values.ts";
import { metricsJson } from "./proto-objects.ts";
import { ProtoError } from "./proto-reader.ts";
import { readSpans } from "./read-spans.ts";
import {
  clearSpan,
  emptySpan,
  secondOfNanos,
  type Span,
  SPAN_ATTRIBUTES,
  SPAN_OUTCOMES,
  type SpanSink,
} from "./span.ts";

/** How a body is written. */
export type OtlpForm = "protobuf" | "json";

/** Reads the spans of an `ExportTraceServiceRequest`. Throws `bad-batch`; spans before the fault have been passed on then. */
export function readTraces(body: Uint8Array, form: OtlpForm, sink: SpanSink): void {
  if (form === "json") readJsonSpans(parsed(body), sink);
  else checked(() => readSpans(body, sink));
}

/** Reads an `ExportMetricsServiceRequest`, in the form of OTLP/JSON. Throws `bad-batch`. */
export function readMetrics(body: Uint8Array, form: OtlpForm): Json {
  return form === "json" ? parsed(body) : checked(() => metricsJson(body));
}

function parsed(body: Uint8Array): Json {
  try {
    return jsonOf(JSON.parse(new TextDecoder().decode(body)));
  } catch (error) {
    throw notOtlp(error);
  }
}

function checked<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof ProtoError ? notOtlp(error) : error;
  }
}

function notOtlp(error: unknown): UserError {
  const reason = errorMessage(error);
  return new UserError("bad-batch", `cannot read the body as OTLP: ${reason}`);
}

const WORD_BITS = 32n;
const SPAN_ID = /^[0-9a-f]{16}$/i;

/** Reads an `ExportTraceServiceRequest` of OTLP/JSON. */
function readJsonSpans(body: Json, sink: SpanSink): void {
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
