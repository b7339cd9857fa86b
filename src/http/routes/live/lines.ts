import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { Semaphore } from "../../../concurrency/semaphore.ts";
import { ID_FORM, ID_PATTERN } from "../../../model/id.ts";
import type { FacetLimits } from "../../../model/series/facets.ts";
import type { LiveTarget } from "../../../live/live-target.ts";
import type { LineWrite, LineWriteReport } from "../../../live/write-lines.ts";
import type { HttpLog } from "../../access-log.ts";
import {
  FACET_PARAMETERS,
  type Parameter,
  type ParameterValues,
  facetOptionsIn,
  integerParameter,
} from "../../request/parameters.ts";
import { type HeldBytes, inTurns } from "../../request/held-bytes.ts";
import { HttpError } from "../../response/http-error.ts";
import { INFLUX_1_ERRORS, INFLUX_2_ERRORS } from "./influx-setup.ts";
import type { KeyReader } from "../../key-reader.ts";
import type { Monitoring } from "../../monitoring.ts";
import { ENVIRONMENT_PARAMETERS, targetOf } from "./environment.ts";
import {
  type Call,
  type Route,
  type RouteResponse,
  NO_CONTENT,
  STORE_ERRORS,
} from "../../route.ts";

export interface LineRouteDependencies extends FacetLimits {
  readonly writeLines: (write: LineWrite) => Promise<LineWriteReport>;
  readonly keyReader: KeyReader;
  readonly monitoring: Pick<Monitoring, "linesWritten">;
  readonly log: HttpLog;
  readonly heldBytes: HeldBytes;
  /** Longest body, as sent and decompressed. */
  readonly writeBytesMax: number;
  /** Shared by all projects. */
  readonly writes: Semaphore;
}

const COMMON_PARAMETERS: readonly Parameter[] = [
  {
    name: "precision",
    description: "Unit of the timestamps. Default: inferred from the number of digits.",
    schema: { type: "string", minLength: 1, pattern: "^(ns?|us?|ms|s)$" },
    form: "ns, us, ms or s",
    example: "ns",
  },
  integerParameter(
    "interval",
    "Seconds between two writes of JMeter's aggregating listener (backend_influxdb.send_interval).",
    { minimum: 1, maximum: 3600, default: 5 },
  ),
  {
    name: "transactions",
    description:
      "Labels of JMeter's transactions, which its listeners do not mark, separated by commas; `*` stands for any characters.",
    schema: { type: "string", minLength: 1 },
    form: "labels such as Checkout*",
    example: "Checkout*,Login flow",
  },
  ...FACET_PARAMETERS,
];

/** `POST /write` and `POST /api/v2/write`, the write operations of InfluxDB 1 and 2. */
export function createLineRoutes(dependencies: LineRouteDependencies): readonly Route[] {
  const { keyReader, writeBytesMax, writes, heldBytes } = dependencies;
  const noted = new LruCache<string, true>(NOTED_MAX);
  const common = {
    method: "POST",
    description: DESCRIPTION,
    scope: "write",
    audited: "once",
    keyReader,
    body: {
      kind: "stream",
      description: "Lines of InfluxDB's line protocol.",
      bytesMax: writeBytesMax,
      bytesSetting: "writeBytesMax",
      contentEncoding: "decoded",
    },
    statuses: [204],
    errors: [
      "bad-parameter",
      "partial-write",
      "sum-too-large",
      "sequence-reused",
      "source-moved-on",
      ...STORE_ERRORS,
      "busy",
    ],
  } as const;
  // The body is read before the semaphore is acquired: a slow sender must not block others.
  const write = (values: ParameterValues, call: Call, target: LiveTarget) =>
    heldBytes.reading(call.body, (chunks) => {
      const whole = { ...call, body: inTurns(chunks) };
      return writes.run(call.key?.name ?? "", () =>
        writeBody(values, whole, { ...dependencies, target, noted }),
      );
    });
  return [
    {
      ...common,
      path: "/write",
      operationId: "writeLines",
      summary: "Write samples with the InfluxDB 1 API",
      parameters: [loadTestParameter("db"), ...ENVIRONMENT_PARAMETERS, ...COMMON_PARAMETERS],
      errorForm: INFLUX_1_ERRORS,
      handle: (values, call) => write(values, call, targetOf(values, "db")),
    },
    {
      ...common,
      path: "/api/v2/write",
      operationId: "writeLinesV2",
      summary: "Write samples with the InfluxDB 2 API",
      parameters: [loadTestParameter("bucket"), ...ENVIRONMENT_PARAMETERS, ...COMMON_PARAMETERS],
      errorForm: INFLUX_2_ERRORS,
      handle: (values, call) => write(values, call, targetOf(values, "bucket")),
    },
  ];
}

const DESCRIPTION =
  "Accepts samples of running k6 (`-o influxdb`, xk6-output-influxdb) and JMeter (Backend " +
  "Listeners) tests. A tag `load_test` or `testid` assigns a point to that load test instead. " +
  "204: everything is stored durably. `partial-write`: malformed lines were rejected, the " +
  "others are stored. Repeating a body changes nothing.";

function loadTestParameter(name: string): Parameter {
  return {
    name,
    description:
      "Load test of points without a load test tag; created if it does not exist. Required without an environment.",
    required: false,
    schema: { type: "string", minLength: 1, pattern: ID_PATTERN },
    form: ID_FORM,
    example: "release-42",
  };
}

interface WriteDependencies extends LineRouteDependencies {
  readonly target: LiveTarget;
  /** Notes already logged. */
  readonly noted: LruCache<string, true>;
}

/** Throws `partial-write` after storing all readable lines. */
async function writeBody(
  values: ParameterValues,
  { body, address }: Call,
  dependencies: WriteDependencies,
): Promise<RouteResponse> {
  const { writeLines, monitoring, log, target, noted } = dependencies;
  const interval = values.get("interval");
  const report = await writeLines({
    target,
    chunks: body,
    options: {
      precision: precisionOf(values.get("precision")),
      intervalSeconds: interval === undefined ? undefined : Number(interval),
      transactions: values.get("transactions")?.split(","),
      facets: facetOptionsIn(values, dependencies),
    },
    sender: address,
  });
  monitoring.linesWritten(report);
  logNotes(report, { log, noted });
  const { rejected, rejections, refusals } = report;
  if (rejected === 0) return { ...NO_CONTENT, targets: report.loadTestIds };
  const reasons = [...refusals, ...rejections.map(({ line, reason }) => `line ${line}: ${reason}`)];
  log.warn({ address, ...target, rejected, reason: reasons[0] }, "lines_rejected");
  throw new HttpError("partial-write", `partial write: ${listed(reasons)} dropped=${rejected}`, {
    targets: report.loadTestIds,
  });
}

/** Logs each note once, whatever its numbers: every write of a tool would repeat it. */
function logNotes(
  { notes }: LineWriteReport,
  { log, noted }: Pick<WriteDependencies, "log" | "noted">,
): void {
  for (const { loadTestId, note } of notes) {
    const key = `${loadTestId} ${note.replaceAll(/\d+/g, "N")}`;
    if (noted.get(key) === true) continue;
    noted.set(key, true);
    log.info({ loadTestId, note }, "lines_noted");
  }
}

const NOTED_MAX = 1000;

/** Reasons listed in a response: clients print it into their log with every write. */
const REASONS_TOLD = 3;

function listed(reasons: readonly string[]): string {
  const more = reasons.length > REASONS_TOLD ? ["and more"] : [];
  return [...reasons.slice(0, REASONS_TOLD), ...more].join("; ");
}

function precisionOf(text: string | undefined): LineWrite["options"]["precision"] {
  if (text === "n" || text === "ns") return "ns";
  if (text === "u" || text === "us") return "us";
  return text === "ms" || text === "s" ? text : undefined;
}
