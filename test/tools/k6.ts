import { cpSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, RunReport, ToolRun } from "./tool.ts";

const VERSION = "1.8.1";
const USERS = 6;
/** Load tests that are filled over the network: by line protocol, and by OpenTelemetry over gRPC. */
const SENT = "k6";
const SENT_BY_GRPC = "k6-otel";

/** Names of the script's requests, from the tag `ep`; thresholds on it add them to the summary. */
const NAMES = [
  "home",
  'products, "all"',
  "cart 🛒",
  "old",
  "missing",
  "reset",
  "timeout",
  "two\nlines",
  "a=b\\c",
];

/** k6: JSON, CSV, InfluxDB and OpenTelemetry output of one run, and its summary. */
export const k6: LoadTool = {
  name: "k6",
  version: VERSION,
  isOnDemand: true,

  /** The build takes minutes and 1 GB of Go's caches. */
  async install(folder) {
    await runCommand("go", ["install", `go.k6.io/k6@v${VERSION}`], {
      cwd: folder,
      log: path.join(folder, "install.log"),
      env: { GOBIN: folder },
      timeoutMs: 30 * 60_000,
    });
  },

  async record(run) {
    const { toolFolder, workFolder, target, receiver, seconds } = run;
    cpSync(path.join(import.meta.dirname, "k6", "shop.js"), path.join(workFolder, "shop.js"));
    const address = receiver.url.replace("http://", `http://any:${receiver.key}@`);
    const outputs = [
      "json=run.json",
      "csv=run.csv",
      `influxdb=${address}/${SENT}`,
      "opentelemetry",
    ];
    const args = outputs.flatMap((output) => ["--out", output]);
    const summary = ["--no-usage-report", "--quiet", "--summary-export", "summary.json"];
    await runCommand(path.join(toolFolder, "k6"), ["run", ...summary, ...args, "shop.js"], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      env: {
        TARGET: target.url,
        NAMES: JSON.stringify(NAMES),
        USERS: `${USERS}`,
        DURATION: `${seconds}s`,
        K6_CSV_TIME_FORMAT: "unix_nano",
        K6_OTEL_GRPC_EXPORTER_ENDPOINT: receiver.grpcAddress,
        K6_OTEL_GRPC_EXPORTER_INSECURE: "true",
        K6_OTEL_HEADERS: `X-Service-Auth=${receiver.key},X-Load-Test=${SENT_BY_GRPC}`,
        K6_OTEL_EXPORT_INTERVAL: "2s",
      },
      timeoutMs: (seconds + 60) * 1000,
    });
    return [
      { path: path.join(workFolder, "run.json"), format: "k6-json" },
      { path: path.join(workFolder, "run.csv"), format: "k6-csv" },
    ];
  },

  growingFile({ workFolder }) {
    const file = path.join(workFolder, "run.json");
    return existsSync(file) ? file : undefined;
  },

  readToolReport: async (run) => reportOf(run),

  async readSent(run) {
    const report = reportOf(run);
    return [
      { loadTestId: SENT, report },
      { loadTestId: SENT_BY_GRPC, report: sumsOf(report) },
    ];
  },
};

/** What OpenTelemetry carries of a report: an average has the digits of its sum in microseconds. */
function sumsOf({ endpoints }: RunReport): RunReport {
  const sums = Object.entries(endpoints).map(([name, { count, errors, avgMs }]) => [
    name,
    { count, errors, avgMs },
  ]);
  return { endpoints: Object.fromEntries(sums), roundingMs: 0.001 };
}

/** A flat summary. `passes` of a rate counts the samples with value 1: here, the failures. */
interface Summary {
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function reportOf({ workFolder }: ToolRun): RunReport {
  const { metrics } = JSON.parse(
    readFileSync(path.join(workFolder, "summary.json"), "utf8"),
  ) as Summary;
  const endpoints = NAMES.map((name, ep): [string, ReportedEndpoint] => {
    const of = (metric: string) => metrics[`${metric}{ep:${ep}}`] ?? {};
    const times = of("http_req_duration");
    return [
      name,
      {
        count: of("http_reqs")["count"] ?? 0,
        errors: of("http_req_failed")["passes"] ?? 0,
        ...figure("avgMs", times["avg"]),
        ...figure("minMs", times["min"]),
        ...figure("maxMs", times["max"]),
        quantilesMs: {
          0.5: times["med"] ?? 0,
          0.9: times["p(90)"] ?? 0,
          0.95: times["p(95)"] ?? 0,
        },
      },
    ];
  });
  // k6 does not round times.
  return { endpoints: Object.fromEntries(endpoints), roundingMs: 0, users: { mostActive: USERS } };
}

function figure(name: "avgMs" | "minMs" | "maxMs", value: number | undefined): object {
  return value === undefined ? {} : { [name]: value };
}
