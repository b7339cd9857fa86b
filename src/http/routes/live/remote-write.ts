import { TEXT } from "../../../api/parts.ts";
import type { LiveTarget } from "../../../live/live-target.ts";
import type {
  RemoteWrite,
  RemoteWriteReport,
  WriteRemote,
} from "../../../live/otlp/write-remote.ts";
import { HttpError, quoted } from "../../response/http-error.ts";
import type { ErrorForm } from "../../response/problem.ts";
import {
  type Call,
  NO_CONTENT,
  PROTOBUF,
  STORE_ERRORS,
  type Route,
  type RouteResponse,
} from "../../route.ts";
import { ENVIRONMENT_PARAMETERS, targetOf } from "./environment.ts";
import { BODY_BYTES_MAX, LOAD_TEST_HEADER, type OtlpRouteDependencies } from "./otlp.ts";

export interface RemoteWriteRouteDependencies extends Omit<OtlpRouteDependencies, "writeOtlp"> {
  readonly writeRemote: WriteRemote;
}

/** `POST /api/v1/write`: Prometheus' remote write, 1.0 and 2.0. */
export function createRemoteWriteRoute(dependencies: RemoteWriteRouteDependencies): Route {
  const { heldBytes, keyReader, writes } = dependencies;
  return {
    method: "POST",
    path: "/api/v1/write",
    operationId: "writeRemote",
    summary: "Write samples with Prometheus' remote write",
    description:
      "Samples become measures, as they are; native histograms become distributions, and those of k6's requests requests. Without " +
      "`X-Load-Test` and `X-Environment`, the label `load_test` or `testid` of each series names its load test. 204: everything that has a value is " +
      "stored durably. `partial-write`: what cannot be stored was left out, the rest is stored. Repeating a body changes nothing.",
    scope: "write",
    audited: "once",
    keyReader,
    parameters: [{ ...LOAD_TEST_HEADER, required: false }, ...ENVIRONMENT_PARAMETERS],
    body: {
      kind: "stream",
      description:
        "`prometheus.WriteRequest` or `io.prometheus.write.v2.Request`, as one block of Snappy.",
      bytesMax: BODY_BYTES_MAX,
      contentEncoding: "snappy",
    },
    statuses: [204],
    errors: [
      "bad-parameter",
      "bad-batch",
      "unsupported-media-type",
      "partial-write",
      "sum-too-large",
      "sequence-reused",
      ...STORE_ERRORS,
      "busy",
    ],
    errorForm: PLAIN_ERRORS,
    handle(values, call) {
      const isNamed = ["x-load-test", "x-environment", "env"].some((name) => values.has(name));
      const target = isNamed ? targetOf(values, "x-load-test") : undefined;
      const form = formOf(call);
      return heldBytes.readingWhole(call.body, (body) =>
        writes.run(call.key?.name ?? "", () => write({ target, form, body }, dependencies)),
      );
    },
  };
}

/** Senders print the first line. */
const PLAIN_ERRORS: ErrorForm = {
  mediaType: "text/plain",
  schema: TEXT,
  write: ({ detail }) => detail,
};

const MESSAGES: Readonly<Record<string, RemoteWrite["form"]>> = {
  "prometheus.WriteRequest": "1.0",
  "io.prometheus.write.v2.Request": "2.0",
};

/** Throws `unsupported-media-type`. */
function formOf({ header }: Call): RemoteWrite["form"] {
  const [type = ""] = header("content-type");
  const [name = "", ...parameters] = type.split(";").map((part) => part.trim());
  const proto = parameters.find((each) => each.startsWith("proto="))?.slice("proto=".length);
  const form = MESSAGES[proto?.replaceAll('"', "") ?? "prometheus.WriteRequest"];
  if (name.toLowerCase() === PROTOBUF && form !== undefined) return form;
  throw new HttpError(
    "unsupported-media-type",
    `cannot read a body of the type ${quoted(type)}: want ${PROTOBUF}, with proto=${Object.keys(MESSAGES).join(" or ")}`,
  );
}

/** Reasons told in a response: senders print it into their log with every write. */
const REASONS_TOLD = 3;

async function write(
  sent: RemoteWrite,
  { writeRemote, log }: RemoteWriteRouteDependencies,
): Promise<RouteResponse> {
  const report = await writeRemote(sent);
  const { rejected, remarks, loadTestIds } = report;
  const headers = countsOf(report);
  if (rejected === 0) return { ...NO_CONTENT, headers, targets: loadTestIds };
  log.warn({ ...targetIn(sent), rejected, reason: remarks[0] }, "remote_write_rejected");
  const reasons = remarks.slice(0, REASONS_TOLD).join("; ");
  throw new HttpError("partial-write", `partial write: ${reasons}`, {
    headers,
    targets: loadTestIds,
  });
}

function targetIn({ target }: RemoteWrite): LiveTarget | object {
  return target ?? {};
}

/** What version 2.0 requires with any response to a body that was read. */
function countsOf({ samples, histograms }: RemoteWriteReport): Readonly<Record<string, string>> {
  return {
    "X-Prometheus-Remote-Write-Samples-Written": String(samples),
    "X-Prometheus-Remote-Write-Histograms-Written": String(histograms),
    "X-Prometheus-Remote-Write-Exemplars-Written": "0",
  };
}
