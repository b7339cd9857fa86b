import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint } from "./tool.ts";

const VERSION = "0.19.0";
const USERS = 8;
const REQUEST_LOG = "requests.csv";

/** Goose: a load test in Rust, its request log and its report. */
export const goose: LoadTool = {
  name: "goose",
  version: VERSION,
  isOnDemand: true,

  /** Builds the load test, which is a program; keeps only that. */
  async install(folder) {
    const source = path.join(folder, "source");
    cpSync(path.join(import.meta.dirname, "goose"), source, { recursive: true });
    await runCommand("cargo", ["build", "--quiet", "--release"], {
      cwd: source,
      log: path.join(folder, "install.log"),
      timeoutMs: 30 * 60_000,
    });
    cpSync(path.join(source, "target", "release", "shop"), path.join(folder, "shop"));
    rmSync(source, { recursive: true });
  },

  async record({ toolFolder, workFolder, target, seconds }) {
    const load = ["-u", `${USERS}`, "-r", `${USERS}`, "-t", `${seconds}s`, "-H", target.url];
    const log = ["--request-log", REQUEST_LOG, "--request-format", "csv"];
    // By default the report leaves out everything before all users had started.
    const report = ["--no-reset-metrics", "--report-file", "report.json"];
    await runCommand(path.join(toolFolder, "shop"), [...load, ...log, ...report], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      timeoutMs: (seconds + 60) * 1000,
    });
    return [{ path: path.join(workFolder, REQUEST_LOG), format: "goose-csv" }];
  },

  growingFile({ workFolder }) {
    const file = path.join(workFolder, REQUEST_LOG);
    return existsSync(file) ? file : undefined;
  },

  async readToolReport({ workFolder }) {
    const report = JSON.parse(
      readFileSync(path.join(workFolder, "report.json"), "utf8"),
    ) as GooseReport;
    return {
      endpoints: endpointsIn(report),
      // Averages are not rounded.
      roundingMs: 0,
      // Percentiles are the middle of a bucket, 1/64 of the value wide, in whole milliseconds.
      quantileRoundingMs: (ms) => 0.5 + ms / 128,
      failures: report.errors.map(({ method, name, error, occurrences }) => ({
        label: `${method} ${name}`,
        message: error,
        requests: occurrences,
      })),
    };
  },
};

interface Named {
  readonly method: string;
  readonly name: string;
}

interface GooseReport {
  readonly raw_request_metrics: readonly (Named & {
    readonly number_of_requests: number;
    readonly number_of_failures: number;
    readonly response_time_average: number;
  })[];
  readonly raw_response_metrics: readonly (Named & Percentiles)[];
  readonly errors: readonly (Named & { readonly error: string; readonly occurrences: number })[];
}

interface Percentiles {
  readonly percentile_50: number;
  readonly percentile_90: number;
  readonly percentile_95: number;
  readonly percentile_99: number;
  readonly percentile_100: number;
}

const SUM = "Aggregated";

function endpointsIn(report: GooseReport): Record<string, ReportedEndpoint> {
  const percentiles = new Map(
    report.raw_response_metrics.map((each) => [`${each.method} ${each.name}`, each]),
  );
  return Object.fromEntries(
    report.raw_request_metrics
      .filter(({ name }) => name !== SUM)
      .map((each) => {
        const label = `${each.method} ${each.name}`;
        const endpoint = {
          count: each.number_of_requests,
          errors: each.number_of_failures,
          avgMs: each.response_time_average,
          ...quantilesOf(percentiles.get(label)),
        };
        return [label, endpoint];
      }),
  );
}

/** Times are truncated to whole milliseconds, on average half a millisecond too low. */
function quantilesOf(percentiles: Percentiles | undefined): Pick<ReportedEndpoint, "quantilesMs"> {
  if (percentiles === undefined) return {};
  const quantilesMs = {
    0.5: percentiles.percentile_50 + 0.5,
    0.9: percentiles.percentile_90 + 0.5,
    0.95: percentiles.percentile_95 + 0.5,
    0.99: percentiles.percentile_99 + 0.5,
    1: percentiles.percentile_100 + 0.5,
  };
  return { quantilesMs };
}
