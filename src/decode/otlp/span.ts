import { SECOND_LIMIT } from "../../model/columns.ts";
import type { Json } from "./json-values.ts";
import type { Facets } from "../../model/series/facets.ts";

/** A finished span of a trace. Decoders reuse it from span to span. */
export interface Span {
  /** Two words of its id, unique within a load test. */
  idHigh: number;
  idLow: number;
  /** `SPAN_KIND_…` of OTLP. */
  kind: number;
  name: string;
  /** HTTP method, in upper case; empty if it is no HTTP request. */
  method: string;
  /** Only read where `name` says no more than the method. */
  url: string;
  /** UNIX second of the start; `undefined` if it cannot be stored. */
  second: number | undefined;
  /** Of the second. */
  millis: number;
  /** Negative if the clock was set back. */
  elapsedNanos: number;
  /** 0: no response. */
  httpStatus: number;
  outcome: "unset" | "ok" | "error";
  message: string;
  errorType: string;
  asked: Facets;
  /** The span as OTLP/JSON, with its ids in hex; only valid until the next one. */
  whole: () => Json;
  /** In lower-case hex, `parentId` empty in the first one of a trace; only valid until the next one. */
  ids: () => SpanIdTexts;
}

type SpanIdTexts = Readonly<Record<"traceId" | "spanId" | "parentId", string>>;

/** Attributes of spans and their resources that are facets. */
export const SPAN_FACETS: readonly string[] = ["group", "scenario", "service.instance.id"];

/** Receives spans in the order of a body. */
export interface SpanSink {
  /** Names of further attributes to read. */
  readonly asked: readonly string[];
  /** Called before the spans of a scope; `attributes` are those of the resource in OTLP/JSON. */
  begin(service: string, scope: string, attributes: unknown): void;
  take(span: Span): void;
  /** A span of over `RECORD_BYTES_MAX`, which is not read. */
  refuse(): void;
}

/** `SPAN_KIND_CLIENT`. */
export const CLIENT_KIND = 3;

export type SpanAttribute = "method" | "url" | "status" | "error";

/** Attributes that are read, by new and old names of the semantic conventions. */
export const SPAN_ATTRIBUTES: ReadonlyMap<string, SpanAttribute> = new Map([
  ["http.request.method", "method"],
  ["http.method", "method"],
  ["url.full", "url"],
  ["http.url", "url"],
  ["http.response.status_code", "status"],
  ["http.status_code", "status"],
  ["error.type", "error"],
]);

export function setAttribute(span: Span, attribute: SpanAttribute, value: string): void {
  if (attribute === "method") span.method = value.toUpperCase();
  else if (attribute === "url") span.url = value;
  else if (attribute === "status") span.httpStatus = Number(value) || 0;
  else span.errorType = value;
}

/** Of equal names, the last value counts; spans may have very many. */
export function setAsked(span: Span, name: string, value: string): void {
  span.asked = [...span.asked.filter(([other]) => other !== name), [name, value]];
}

export const SPAN_OUTCOMES = ["unset", "ok", "error"] as const;

export function emptySpan(): Span {
  return {
    idHigh: 0,
    idLow: 0,
    kind: 0,
    name: "",
    method: "",
    url: "",
    second: undefined,
    millis: 0,
    elapsedNanos: 0,
    httpStatus: 0,
    outcome: "unset",
    message: "",
    errorType: "",
    asked: [],
    whole: () => ({}),
    ids: () => ({ traceId: "", spanId: "", parentId: "" }),
  };
}

/** Resets all but the ids and times. */
export function clearSpan(span: Span): void {
  span.kind = 0;
  span.name = "";
  span.method = "";
  span.url = "";
  span.httpStatus = 0;
  span.outcome = "unset";
  span.message = "";
  span.errorType = "";
  if (span.asked.length > 0) span.asked = [];
}

const NANOS_PER_SECOND = 1_000_000_000;
const WORD = 2 ** 32;

/** The exact UNIX second of nanoseconds in two words; `undefined` for 0 and what passes 32 bits. */
export function secondOfNanos(low: number, high: number): number | undefined {
  if (low === 0 && high === 0) return undefined;
  let second = Math.floor((high * WORD + low) / NANOS_PER_SECOND);
  // The quotient can be off by one; the lowest bits of the remainder decide.
  const rest = (low - Math.imul(second, NANOS_PER_SECOND)) | 0;
  if (rest < 0) second -= 1;
  else if (rest >= NANOS_PER_SECOND) second += 1;
  return second < SECOND_LIMIT ? second : undefined;
}

const NANOS_PER_MILLI = 1_000_000;

/** Milliseconds within the second, as `secondOfNanos` returns it, of nanoseconds of which these are the lower word. */
export function millisOfNanos(low: number, second = 0): number {
  const nanos = (low - Math.imul(second, NANOS_PER_SECOND)) >>> 0;
  return Math.floor(nanos / NANOS_PER_MILLI);
}

/** Whether the name is only the method, in any case, so that the URL is needed, too. */
export function isNamedByMethod({ name, method }: Pick<Span, "name" | "method">): boolean {
  return name.length === method.length && name.toUpperCase() === method;
}
