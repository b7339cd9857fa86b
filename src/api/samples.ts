import { ENDPOINT, FLAG, NOT_NEGATIVE, TEXT, TIME, WHOLE } from "./parts.ts";
import { about, list, named, object, optional, type Static } from "./schema.ts";

const PHASE = (what: string) => optional(NOT_NEGATIVE, `Milliseconds ${what}.`);

const SAMPLE = {
  ...ENDPOINT,
  id: about(TEXT, "The same for the same request."),
  time: optional(TIME, "Start of the request; absent if unknown."),
  elapsedMs: NOT_NEGATIVE,
  failed: FLAG,
  code: optional(TEXT, "Why it failed, as in the failures of the endpoint."),
  message: optional(TEXT),
  method: optional(TEXT),
  url: optional(TEXT),
  thread: optional(TEXT, "Thread or user."),
  generator: optional(TEXT, "Host that sent it."),
  traceId: optional(TEXT),
  traceUrl: optional(TEXT, "Address of the trace, by the server's `--trace-url`."),
  spanId: optional(TEXT),
  blockedMs: PHASE("until a connection was free"),
  dnsMs: PHASE("for the name of the host"),
  connectMs: PHASE("to connect"),
  tlsMs: PHASE("for TLS"),
  sendMs: PHASE("to send the request"),
  waitMs: PHASE("from there to the first byte"),
  receiveMs: PHASE("to receive the response"),
  latencyMs: PHASE("from the start to the first byte"),
  idleMs: PHASE("of pauses within it"),
  sentBytes: optional(WHOLE),
  receivedBytes: optional(WHOLE),
  requestHeaders: optional(TEXT, "Lines of `Name: value`."),
  requestBody: optional(TEXT),
  responseHeaders: optional(TEXT, "Lines of `Name: value`."),
  responseBody: optional(TEXT),
  exception: optional(TEXT, "What the load tool recorded of an exception, with its stack."),
  spans: optional(
    list(
      named("ChildSpan", {
        service: TEXT,
        operation: TEXT,
        elapsedMs: NOT_NEGATIVE,
        share: optional(
          NOT_NEGATIVE,
          "Of the time of the request. Spans within others count in both, so the shares of all may pass 1.",
        ),
      }),
    ),
    "The longest spans of the trace in other services than the load tool, at most 10, longest first. Absent if none came.",
  ),
  cut: optional(FLAG, "Whether a text is longer than what is kept."),
} as const;

/** Of `GET /Api/LoadTests/{id}/Samples`. */
export const SAMPLES = object({
  samples: list(named("Sample", SAMPLE), "By label, then time; with `near`, the nearest first."),
  sampleCount: about(WHOLE, "With those beyond `limit`."),
});

export type SamplesAnswer = Static<typeof SAMPLES>;
export type SampleItem = SamplesAnswer["samples"][number];
