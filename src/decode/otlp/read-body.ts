import { errorMessage, UserError } from "../../model/errors.ts";
import {
  attributeNamed,
  attributeText,
  enumOf,
  type Json,
  jsonOf,
  listOf,
  textOf,
  wideOf,
} from "./json-values.ts";
import { isTooLong, JsonText, JsonTextError, type JsonPart } from "./json-text.ts";
import { type MetricPoint, metricPoints, type PointFault } from "./metric-points.ts";
import { METRIC_KINDS, type PointList } from "./point-list.ts";
import { protoPointLists } from "./proto-objects.ts";
import { ProtoError } from "./proto-reader.ts";
import { readSpans } from "./read-spans.ts";
import {
  clearSpan,
  emptySpan,
  millisOfNanos,
  secondOfNanos,
  setAttribute,
  type Span,
  SPAN_ATTRIBUTES,
  SPAN_OUTCOMES,
  type SpanSink,
} from "./span.ts";

/** How a body is written. */
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

function* jsonPointLists(json: JsonText): Generator<PointList | undefined> {
  for (const resourceMetrics of json.elements(json.root("resourceMetrics"))) {
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
  for (const resourceSpans of json.elements(json.root("resourceSpans"))) {
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
  span.elapsedNanos = Number(end - start);
  const status = jsonOf(given["status"]);
  span.outcome = SPAN_OUTCOMES[enumOf(status["code"], STATUS_CODES)] ?? "unset";
  span.message = textOf(status["message"]);
  for (const each of listOf(given["attributes"]).map(jsonOf)) {
    const name = textOf(each["key"]);
    const attribute = SPAN_ATTRIBUTES.get(name);
    const value = attributeText(each["value"]) ?? "";
    if (attribute !== undefined) setAttribute(span, attribute, value);
    if (asked.includes(name)) span.asked = [...span.asked, [name, value]];
  }
}
