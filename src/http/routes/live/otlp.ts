import { TEXT } from "../../../api/parts.ts";
import { object, optional } from "../../../api/schema.ts";
import type { Semaphore } from "../../../concurrency/semaphore.ts";
import type { LiveTarget } from "../../../live/live-target.ts";
import type { OtlpReport, OtlpWrite } from "../../../live/otlp/write-otlp.ts";
import { ID_FORM, ID_PATTERN } from "../../../model/id.ts";
import type { FacetLimits } from "../../../model/series/facets.ts";
import type { HttpLog } from "../../access-log.ts";
import type { KeyReader } from "../../key-reader.ts";
import {
  FACET_HEADERS,
  type Parameter,
  type ParameterValues,
  facetOptionsIn,
} from "../../request/parameters.ts";
import { ENVIRONMENT_PARAMETERS, targetOf } from "./environment.ts";
import type { HeldBytes } from "../../request/held-bytes.ts";
import { HttpError, quoted } from "../../response/http-error.ts";
import type { ErrorForm } from "../../response/problem.ts";
import { field, varint } from "../../response/json-document.ts";
import {
  type Call,
  jsonResponse,
  PROTOBUF,
  STORE_ERRORS,
  type Route,
  type RouteResponse,
  textResponse,
} from "../../route.ts";

export interface OtlpRouteDependencies extends FacetLimits {
  readonly writeOtlp: (write: OtlpWrite) => Promise<OtlpReport>;
  readonly log: HttpLog;
  readonly heldBytes: HeldBytes;
  readonly keyReader: KeyReader;
  readonly writes: Semaphore;
}

/** A body is held whole while it is read. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024;

type Signal = OtlpWrite["signal"];

/** OpenTelemetry's protocol: `POST /v1/traces` and `POST /v1/metrics`, and the same over gRPC. */
export function createOtlpRoutes(dependencies: OtlpRouteDependencies): readonly Route[] {
  const { heldBytes, keyReader, writes } = dependencies;
  const common = {
    method: "POST",
    scope: "write",
    keyReader,
    audited: "once",
    body: {
      kind: "stream",
      description:
        "The request message of the protocol, as `application/x-protobuf` or `application/json`.",
      bytesMax: BODY_BYTES_MAX,
      contentEncoding: "decoded",
    },
    schema: PARTIAL_SUCCESS_SCHEMA,
    errors: [
      "bad-parameter",
      "bad-batch",
      "unsupported-media-type",
      "sum-too-large",
      "sequence-reused",
      ...STORE_ERRORS,
      "busy",
    ],
    errorForm: OTLP_ERRORS,
  } as const;
  const write = (signal: Signal, target: LiveTarget, values: ParameterValues, call: Call) => {
    const form = formOf(call);
    const facets = facetOptionsIn(values, dependencies);
    return heldBytes.readingWhole(call.body, (body) =>
      writes.run(call.key?.name ?? "", () =>
        writeBody({ signal, target, form, body, facets }, dependencies),
      ),
    );
  };
  return [
    {
      ...common,
      path: "/v1/traces",
      grpcPath: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
      parameters: [LOAD_TEST_HEADER, ...FACET_HEADERS],
      operationId: "writeTraces",
      summary: "Write spans with OpenTelemetry's protocol",
      description:
        "HTTP client spans of load tools (Locust, Artillery) become requests, each once. " +
        "200: everything that can be stored is stored durably; `partialSuccess` says what is not.",
      handle: (values, call) =>
        write("traces", { loadTestId: values.get("x-load-test") ?? "" }, values, call),
    },
    {
      ...common,
      path: "/v1/metrics",
      grpcPath: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
      parameters: [
        {
          ...LOAD_TEST_HEADER,
          description: `${LOAD_TEST_HEADER.description} Required without an environment.`,
          required: false,
        },
        ...FACET_HEADERS,
        ...ENVIRONMENT_PARAMETERS,
      ],
      operationId: "writeMetrics",
      summary: "Write metrics with OpenTelemetry's protocol",
      description:
        "Metrics become measures. Histograms of the durations of a load tool's requests become requests, unless " +
        "its spans describe them. 200: everything that can be stored is stored durably; `partialSuccess` says what is not.",
      handle: (values, call) => write("metrics", targetOf(values, "x-load-test"), values, call),
    },
  ];
}

export const LOAD_TEST_HEADER: Parameter = {
  name: "x-load-test",
  in: "header",
  description: "Load test to add to; created if it does not exist.",
  required: true,
  schema: { type: "string", minLength: 1, pattern: ID_PATTERN },
  form: ID_FORM,
  example: "nightly-7",
};

const PARTIAL_SUCCESS_SCHEMA = object({
  partialSuccess: optional(
    object({
      rejectedSpans: optional(TEXT),
      rejectedDataPoints: optional(TEXT),
      errorMessage: TEXT,
    }),
  ),
});

/** A `Status` of the protocol. */
const OTLP_ERRORS: ErrorForm = {
  mediaType: "application/json",
  schema: object({ message: TEXT }),
  write: ({ detail }) => JSON.stringify({ message: detail }),
};

/** Throws `unsupported-media-type`. */
function formOf({ header }: Call): OtlpWrite["form"] {
  const [type = ""] = header("content-type");
  const name = type.split(";", 1)[0]?.trim().toLowerCase();
  if (name === PROTOBUF) return "protobuf";
  if (name === "application/json") return "json";
  throw new HttpError(
    "unsupported-media-type",
    `cannot read a body of the type ${quoted(type)}: want ${PROTOBUF} or application/json ` +
      "(OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)",
  );
}

async function writeBody(
  write: OtlpWrite,
  { writeOtlp, log }: OtlpRouteDependencies,
): Promise<RouteResponse> {
  const report = await writeOtlp(write);
  const { rejected, remarks } = report;
  const { target, signal } = write;
  if (rejected > 0) log.warn({ ...target, signal, rejected, reason: remarks[0] }, "otlp_rejected");
  return { ...responseOf(write, report), targets: [target.loadTestId] };
}

/** Remarks listed in a response: clients print it into their log with every write. */
const REMARKS_TOLD = 3;

function responseOf({ signal, form }: OtlpWrite, { rejected, remarks }: OtlpReport): RouteResponse {
  const message = remarks.slice(0, REMARKS_TOLD).join("; ");
  const isWhole = rejected === 0 && message === "";
  if (form === "json") {
    const name = signal === "traces" ? "rejectedSpans" : "rejectedDataPoints";
    const partialSuccess = { [name]: String(rejected), errorMessage: message };
    return jsonResponse(isWhole ? {} : { partialSuccess });
  }
  const bytes = isWhole ? new Uint8Array() : messageOf(rejected, message);
  const sent = textResponse("", { contentType: PROTOBUF });
  return {
    ...sent,
    async *chunks() {
      yield bytes;
    },
  };
}

/** The response message of Protocol Buffers: field 1 of the number (1) and the text (2). */
function messageOf(rejected: number, message: string): Uint8Array {
  const text = new TextEncoder().encode(message);
  return Uint8Array.from(field(1, [8, ...varint(rejected), ...field(2, text)]));
}
