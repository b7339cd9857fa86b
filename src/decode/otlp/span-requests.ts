import type { SampleBatch } from "../../model/sample-batch.ts";
import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import type { Facets } from "../../model/series/facets.ts";
import type { DecodeOptions, SampleSink } from "../decoder.ts";
import { hasFailedStatus } from "../failure-kinds.ts";
import { type TextBudget, withinBudget } from "../kept-requests.ts";
import { NO_FACETS } from "../labels/faceted-labels.ts";
import { quoted } from "../quoted.ts";
import { RequestRows } from "../requests/request-rows.ts";
import { type Json, attributeNamed, attributeText, jsonOf, listOf, textOf } from "./json-values.ts";
import { CLIENT_KIND, SPAN_FACETS, type Span, isNamedByMethod } from "./span.ts";

const NANOS_PER_MICRO = 1000;
/** A span that ends later has no end. */
const ELAPSED_NANOS_MAX = 2 ** 62;

/** Bodies have no lines. */
const NO_PLACE = { line: 1, byte: 0 };

/** Counter of spans of load tools that are requests under way at the stop: they have neither a status nor an error. */
const UNFINISHED = "spans.unfinished";
/** Counter of spans of load tools that are no requests, such as scenarios. */
const OTHER = "spans.other";
const MILLIS = 1000;

interface SpanRequestsOptions extends Pick<DecodeOptions, "facets"> {
  /** Of `rows` of another service, which was flushed. @default a new one */
  readonly batch: SampleBatch | undefined;
  readonly texts: TextBudget;
}

/** Whether a span is new; called once for each that could be stored. */
type IsNew = (idHigh: number, idLow: number) => boolean;

/** Records the HTTP client spans of a load tool as requests, and counts its others as measures. */
export class SpanRequests {
  readonly rows: RequestRows;
  /** Spans that came before. */
  repeated = 0;
  readonly #sink: SampleSink;
  readonly #isNew: IsNew;
  #span: Span | undefined;

  constructor(sink: SampleSink, isNew: IsNew, { batch, facets, texts }: SpanRequestsOptions) {
    this.#sink = sink;
    this.rows = new RequestRows(sink, { batch, facets });
    this.#isNew = isNew;
    this.rows.details = () => withinBudget(detailsOfSpan(this.#span?.whole() ?? {}), texts);
  }

  /** `resource`: facets that it has unless its own attributes say otherwise. */
  take(span: Span, resource: Facets): void {
    const reason = this.#take(span, resource);
    if (reason === undefined) return;
    this.#sink.reject({ ...NO_PLACE, reason: `span ${quoted(span.name)}: ${reason}` });
  }

  #take(span: Span, resource: Facets): string | undefined {
    const { second } = span;
    if (second === undefined) return "want a start from 1970 to 2106";
    if (!this.#isNew(span.idHigh, span.idLow)) {
      this.repeated += 1;
      return undefined;
    }
    if (span.kind !== CLIENT_KIND || span.method === "") return this.#count(OTHER, second);
    const isUnfinished = span.httpStatus === 0 && span.outcome !== "error";
    if (isUnfinished) return this.#count(UNFINISHED, second);
    return this.#record(span, second, this.#facetsOf(span, resource));
  }

  #count(name: string, second: number): undefined {
    const about = { label: undefined, unit: "1", kind: "counter", tags: [] } as const;
    const { measures } = this.#sink;
    measures.add(measures.seriesOf({ ...about, name }), second * MILLIS, 1);
  }

  #facetsOf({ asked }: Span, resource: Facets): number {
    if (asked.length === 0 && resource.length === 0) return NO_FACETS;
    const values = new Map([...resource, ...asked]);
    return this.rows.facets.setBy(SPAN_FACETS, (name) => values.get(name) ?? "");
  }

  #record(span: Span, second: number, facets: number): string | undefined {
    const { elapsedNanos, httpStatus, outcome } = span;
    const request = this.rows.begin();
    request.second = second;
    request.millis = span.millis;
    this.#span = span;
    if (elapsedNanos >= 0 && elapsedNanos <= ELAPSED_NANOS_MAX) {
      const below = elapsedNanos % NANOS_PER_MICRO;
      request.elapsedMicros = (elapsedNanos - below) / NANOS_PER_MICRO + (below >= 500 ? 1 : 0);
    } else this.rows.untime(`span ${quoted(span.name)}: got a duration of ${elapsedNanos} ns`);
    request.hasFailed = outcome === "error" || (outcome === "unset" && hasFailedStatus(httpStatus));
    if (request.hasFailed) {
      request.code = httpStatus === 0 ? span.errorType : String(httpStatus);
      request.message = span.message;
    }
    const reason = this.rows.record(this.rows.labels.indexOfText(labelOf(span)), facets);
    if (reason === undefined) this.rows.repairs.report(this.#sink, NO_PLACE);
    return reason;
  }
}

/** The span's name; where that is only the method, followed by the path of the URL. */
function labelOf(span: Span): string {
  if (!isNamedByMethod(span)) return span.name;
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(span.url)?.[1];
  return path === undefined ? span.method : `${span.method} ${path === "" ? "/" : path}`;
}

/** Names of an attribute by the semantic conventions, new and old. */
const NAMES = {
  method: ["http.request.method", "http.method"],
  url: ["url.full", "http.url"],
  thread: ["thread.name", "thread.id"],
  sentBytes: ["http.request.body.size", "http.request_content_length"],
  receivedBytes: ["http.response.body.size", "http.response_content_length"],
} as const;

const REQUEST_HEADER = "http.request.header.";
const RESPONSE_HEADER = "http.response.header.";

/** What a span, as OTLP/JSON, says of its request. */
export function detailsOfSpan(span: Json): FurtherDetails {
  const attributes = listOf(span["attributes"]).map(jsonOf);
  const text = (name: keyof typeof NAMES): string | undefined =>
    NAMES[name].map((each) => attributeNamed(attributes, each)).find((each) => each !== "");
  const size = (name: keyof typeof NAMES): number | undefined => {
    const value = Number(text(name) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  return {
    traceId: textOf(span["traceId"]).toLowerCase(),
    spanId: textOf(span["spanId"]).toLowerCase(),
    method: text("method"),
    url: text("url"),
    thread: text("thread"),
    sentBytes: size("sentBytes"),
    receivedBytes: size("receivedBytes"),
    requestHeaders: headersIn(attributes, REQUEST_HEADER),
    responseHeaders: headersIn(attributes, RESPONSE_HEADER),
    exception: exceptionIn(listOf(span["events"]).map(jsonOf)),
  };
}

/** Attributes such as `http.request.header.accept`, whose values are lists. */
function headersIn(attributes: readonly Json[], prefix: string): string {
  return attributes
    .filter(({ key }) => textOf(key).startsWith(prefix))
    .flatMap(({ key, value }) => {
      const values = listOf(jsonOf(jsonOf(value)["arrayValue"])["values"]);
      const all = values.length === 0 ? [value] : values;
      return all.map((each) => `${textOf(key).slice(prefix.length)}: ${attributeText(each) ?? ""}`);
    })
    .join("\n");
}

/** Of the events, as the semantic conventions name them: type, message and stack. */
function exceptionIn(events: readonly Json[]): string {
  return events
    .filter(({ name }) => name === "exception")
    .map(({ attributes }) => {
      const [type, message, stack] = ["type", "message", "stacktrace"].map((name) =>
        attributeNamed(attributes, `exception.${name}`),
      );
      return [[type, message].filter(Boolean).join(": "), stack].filter(Boolean).join("\n");
    })
    .join("\n\n");
}
