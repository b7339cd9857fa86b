import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, ReportedFailure, RunReport } from "./tool.ts";

const VERSION = "2.0.34";
const USERS_PER_SECOND = 20;
const REPORT = "report.json";

/** Where the plugin metrics-by-endpoint writes: a name with dots. */
const NAMESPACE = "shop.endpoints";

/** One request of the script. A scenario has one step, and as many users as its weight. */
interface Step {
  readonly path: string;
  readonly method?: "get" | "post";
  readonly name?: string;
  readonly weight: number;
  readonly options?: Readonly<Record<string, unknown>>;
}

const STEPS: readonly Step[] = [
  { path: "/", weight: 4 },
  { path: "/products?page=1", name: "list, all.codes.200", weight: 3 },
  { path: "/cart", method: "post", name: 'Корзина "A, B"\nline 2', weight: 3 },
  { path: "/old", weight: 1 },
  { path: "/old", name: "not followed", weight: 1, options: { followRedirect: false } },
  { path: "/slow", name: "v1.errors.count", weight: 1 },
  { path: "/missing.codes.404", weight: 1 },
  { path: "/reset", weight: 1 },
  // Its capture fails: a script error in addition to a response.
  {
    path: "/",
    name: "captured",
    weight: 1,
    options: { capture: { json: "$.none", as: "none", strict: true } },
  },
];

/** Artillery: imports its report and compares it with the report's totals. */
export const artillery: LoadTool = {
  name: "artillery",
  version: VERSION,
  isOnDemand: true,

  async install(folder) {
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true }));
    await runCommand("npm", ["install", "--no-audit", "--no-fund", `artillery@${VERSION}`], {
      cwd: folder,
      log: path.join(folder, "install.log"),
      env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
    });
  },

  async record({ toolFolder, workFolder, target, seconds }) {
    writeFileSync(
      path.join(workFolder, "script.json"),
      JSON.stringify(scriptOf(target.url, seconds)),
    );
    const program = path.join(toolFolder, "node_modules", "artillery", "bin", "run");
    await runCommand(process.execPath, [program, "run", "--output", REPORT, "script.json"], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      env: { ARTILLERY_DISABLE_TELEMETRY: "true" },
      timeoutMs: (seconds + 120) * 1000,
    });
    return [{ path: path.join(workFolder, REPORT), format: "artillery-json" }];
  },

  async readToolReport({ workFolder }) {
    const text = readFileSync(path.join(workFolder, REPORT), "utf8");
    return reportOf((JSON.parse(text) as { aggregate: Aggregate }).aggregate);
  },
};

function scriptOf(target: string, seconds: number): unknown {
  return {
    config: {
      target,
      phases: [{ duration: seconds, arrivalRate: USERS_PER_SECOND }],
      plugins: { "metrics-by-endpoint": { metricsNamespace: NAMESPACE, stripQueryString: false } },
    },
    scenarios: STEPS.map(({ path: url, method = "get", name, weight, options }) => ({
      weight,
      flow: [{ [method]: { url, ...(name === undefined ? {} : { name }), ...options } }],
    })),
  };
}

/** The totals of a report. */
interface Aggregate {
  readonly counters: Readonly<Record<string, number>>;
  readonly summaries: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/**
 * The labels are taken from the script, so that no key has to be parsed. Percentiles are left out: those of
 * the run cannot be computed from those of its windows.
 */
function reportOf({ counters, summaries }: Aggregate): RunReport {
  const endpoints: Record<string, ReportedEndpoint> = {};
  const failures: ReportedFailure[] = [];
  for (const { path: url, name } of STEPS) {
    const label = name === undefined ? url : `${url} (${name})`;
    const counted = (kind: "codes" | "errors"): [string, number][] => {
      const prefix = `${NAMESPACE}.${label}.${kind}.`;
      return Object.entries(counters)
        .filter(([key]) => key.startsWith(prefix) && !key.slice(prefix.length).includes(".codes."))
        .map(([key, count]) => [key.slice(prefix.length), count]);
    };
    const failed = [
      ...counted("codes")
        .filter(([code]) => Number(code) >= 400)
        .map(([code, requests]) => ({ label, code, message: "", requests })),
      ...counted("errors").map(([message, requests]) => ({ label, code: "", message, requests })),
    ];
    failures.push(...failed);
    const times = summaries[`${NAMESPACE}.response_time.${label}`];
    endpoints[label] = {
      count: sum([...counted("codes"), ...counted("errors")].map(([, count]) => count)),
      errors: sum(failed.map(({ requests }) => requests)),
      ...(times === undefined ? {} : figuresOf(times)),
    };
  }
  // The averages of the windows and of the run have one decimal.
  return { endpoints, failures, roundingMs: 0.1 };
}

function figuresOf(times: Readonly<Record<string, number>>): Partial<ReportedEndpoint> {
  const { mean = Number.NaN, min = Number.NaN, max = Number.NaN } = times;
  return { avgMs: mean, minMs: min, maxMs: max };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
