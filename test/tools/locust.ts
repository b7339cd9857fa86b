import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, ReportedFailure } from "./tool.ts";

const VERSION = "2.47.0";
const USERS = 8;
/** The locustfile sends no requests at the end, because Locust does not report those. */
const QUIET_SECONDS = 4;

/** Locust: one run with a request log, a history and Locust's own statistics. */
export const locust: LoadTool = {
  name: "locust",
  version: VERSION,

  async install(folder) {
    const log = path.join(folder, "install.log");
    await runCommand("python3", ["-m", "venv", "venv"], { cwd: folder, log });
    const install = ["-m", "pip", "install", "--quiet", `locust==${VERSION}`];
    await runCommand(path.join(folder, "venv", "bin", "python"), install, { cwd: folder, log });
  },

  async record({ toolFolder, workFolder, target, seconds }) {
    const script = path.join(import.meta.dirname, "locust", "locustfile.py");
    copyFileSync(script, path.join(workFolder, "locustfile.py"));
    const load = ["-u", `${USERS}`, "-r", `${USERS}`, "-t", `${seconds}s`, "-H", target.url];
    const files = ["--csv=run", "--csv-full-history", "--exit-code-on-error", "0"];
    const python = path.join(toolFolder, "venv", "bin", "python");
    await runCommand(python, ["-m", "locust", "--headless", ...load, ...files], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      env: { SHOP_SECONDS: `${seconds - QUIET_SECONDS}` },
      timeoutMs: (seconds + 60) * 1000,
    });
    return [
      { path: path.join(workFolder, REQUEST_LOG), format: "locust-requests" },
      { path: path.join(workFolder, "run_stats_history.csv"), format: "locust-history" },
    ];
  },

  growingFile({ workFolder }) {
    const file = path.join(workFolder, REQUEST_LOG);
    return existsSync(file) ? file : undefined;
  },

  async readToolReport({ workFolder }, file) {
    const isLog = path.basename(file.path) === REQUEST_LOG;
    const statistics = rowsOf(path.join(workFolder, "run_stats.csv"));
    return {
      endpoints: Object.fromEntries(
        statistics
          .filter(({ Name }) => Name !== "Aggregated")
          .map((row) => [labelOf(row), endpointOf(row, isLog)]),
      ),
      // The log has two decimals, the history has full precision.
      roundingMs: isLog ? 0.005 : 0,
      quantileRoundingMs,
      ...(isLog
        ? { failures: failuresIn(path.join(workFolder, "run_failures.csv")) }
        : { users: { mostActive: USERS } }),
    };
  },
};

const REQUEST_LOG = "requests.csv";

type Row = Readonly<Record<string, string>>;

function rowsOf(file: string): Row[] {
  return parse(readFileSync(file), { columns: true });
}

function labelOf(row: Row): string {
  return `${row["Type"] ?? row["Method"]} ${row["Name"]}`;
}

/** The history has no percentiles of the run. */
function endpointOf(row: Row, hasQuantiles: boolean): ReportedEndpoint {
  const cell = (name: string): number => Number(row[name]);
  const quantilesMs = {
    0.5: cell("50%"),
    0.75: cell("75%"),
    0.9: cell("90%"),
    0.95: cell("95%"),
    0.99: cell("99%"),
  };
  return {
    count: cell("Request Count"),
    errors: cell("Failure Count"),
    avgMs: cell("Average Response Time"),
    minMs: cell("Min Response Time"),
    maxMs: cell("Max Response Time"),
    ...(hasQuantiles ? { quantilesMs } : {}),
  };
}

/** Locust rounds times to 1 ms below 100 ms, to 10 ms below 1 s and to 100 ms above. */
function quantileRoundingMs(ms: number): number {
  if (ms < 100) return 0.5;
  return ms < 1000 ? 5 : 50;
}

function failuresIn(file: string): ReportedFailure[] {
  return rowsOf(file).map((row) => ({
    label: labelOf(row),
    message: messageIn(row["Error"] ?? ""),
    requests: Number(row["Occurrences"]),
  }));
}

/**
 * The list shows the `repr` of an exception, `Kind('message')` or, for system errors, `Kind(104, 'message')`;
 * the log has its text.
 */
function messageIn(error: string): string {
  const [, number, quote = "", written = ""] =
    /^\w+\((?:(\d+), )?(['"])(.*)\2\)$/s.exec(error) ?? [];
  const message = written.replaceAll(`\\${quote}`, quote).replaceAll("\\n", "\n");
  return number === undefined ? message : `[Errno ${number}] ${message}`;
}
