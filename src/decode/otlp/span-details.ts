import type { FurtherDetails } from "../../model/samples/request-sample.ts";
import { attributeNamed, attributeText, type Json, jsonOf, listOf, textOf } from "./json-values.ts";

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
