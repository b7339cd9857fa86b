import { UserError } from "../../model/errors.ts";
import { type Json, jsonOf } from "./json-values.ts";
import { metricsJson } from "./proto-objects.ts";
import { ProtoError } from "./proto-reader.ts";
import { readJsonSpans } from "./read-json-spans.ts";
import { readSpans } from "./read-spans.ts";
import type { SpanSink } from "./span.ts";

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
  const reason = error instanceof Error ? error.message : String(error);
  return new UserError("bad-batch", `cannot read the body as OTLP: ${reason}`);
}
