import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { influxListener, type PlanListener, planOf, TRANSACTION } from "./jmeter-plan.ts";
import { copyJars } from "./maven.ts";
import type { Receiver } from "./receiver.ts";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, ReportedFailure, RunReport } from "./tool.ts";

const VERSION = "5.6.3";
const PARTS = ["core", "http", "java", "components", "functions"];

const PROPERTIES = {
  // The shortest progress interval that JMeter accepts.
  "summariser.interval": "6",
  // No port for commands.
  "jmeterengine.nongui.port": "0",
  // Flushes each row, so that the file can be followed.
  "jmeter.save.saveservice.autoflush": "true",
  // By default the listener drops what it cannot send within 0.1 s.
  "backend_influxdb.connection_request_timeout": "10000",
  // Averages over the data sent instead of the last 100 requests.
  backend_metrics_window_mode: "timed",
};

/** JMeter: one run that writes CSV and XML, and the report that JMeter generates from the CSV. */
export const jmeter: LoadTool = {
  name: "jmeter",
  version: VERSION,

  /** Lays out the jars like the archive that JMeter is distributed as. */
  async install(folder) {
    const names = ["ApacheJMeter", ...["config", ...PARTS].map((part) => `ApacheJMeter_${part}`)];
    await copyJars(
      folder,
      names.map((name) => `org.apache.jmeter:${name}:${VERSION}`),
    );
    const config = path.join(folder, "lib", `ApacheJMeter_config-${VERSION}.jar`);
    const log = path.join(folder, "install.log");
    await runCommand("jar", ["xf", config, "bin"], { cwd: folder, log });
    mkdirSync(path.join(folder, "lib", "ext"));
    mkdirSync(path.join(folder, "lib", "junit"));
    for (const part of PARTS) {
      const jar = `ApacheJMeter_${part}-${VERSION}.jar`;
      renameSync(path.join(folder, "lib", jar), path.join(folder, "lib", "ext", jar));
    }
    const launcher = path.join(folder, "lib", `ApacheJMeter-${VERSION}.jar`);
    cpSync(launcher, path.join(folder, "bin", "ApacheJMeter.jar"));
  },

  async record({ toolFolder, workFolder, target, receiver, seconds }) {
    const xmlFile = path.join(workFolder, "samples.xml");
    writeFileSync(
      path.join(workFolder, "plan.jmx"),
      planOf({ port: target.port, seconds, xmlFile, listeners: listenersFor(receiver) }),
    );
    const launcher = path.join(toolFolder, "bin", "ApacheJMeter.jar");
    const files = ["-t", "plan.jmx", "-l", "samples.jtl", "-e", "-o", "report", "-j", "jmeter.log"];
    const settings = Object.entries(PROPERTIES).map(([name, value]) => `-J${name}=${value}`);
    await runCommand("java", ["-jar", launcher, "-n", ...files, ...settings], {
      cwd: workFolder,
      log: path.join(workFolder, "console.log"),
      timeoutMs: (seconds + 120) * 1000,
    });
    return [
      { path: path.join(workFolder, "samples.jtl"), format: "jmeter-csv" },
      { path: xmlFile, format: "jmeter-xml" },
    ];
  },

  growingFile({ workFolder }) {
    const file = path.join(workFolder, "samples.jtl");
    return existsSync(file) ? file : undefined;
  },

  async readSent({ workFolder }) {
    const report = reportOf(workFolder);
    const { failures: _, users: __, ...times } = report;
    const log = readFileSync(path.join(workFolder, "jmeter.log"), "utf8");
    const merged = { loadTestId: MERGED, report: withoutQuantiles(mainSamples(report)) };
    const single = { loadTestId: SINGLE, report: withoutQuantiles(mainSamples(times, QUOTES)) };
    // Logged when JMeter could not send fast enough, which happens with single samples.
    const failed = log.split("failed to send data").length - 1;
    const lost = failed === 0 ? {} : { lost: `JMeter could not send ${failed} times` };
    return [merged, { ...single, ...lost }];
  },

  readToolReport: async ({ workFolder }) => reportOf(workFolder),
};

function reportOf(workFolder: string): RunReport {
  const report = path.join(workFolder, "report");
  const statistics = readFileSync(path.join(report, "statistics.json"), "utf8");
  const page = readFileSync(path.join(report, "content", "js", "dashboard.js"), "utf8");
  const console = readFileSync(path.join(workFolder, "console.log"), "utf8");
  return {
    endpoints: endpointsIn(JSON.parse(statistics) as Record<string, Statistics>),
    // Averages are not rounded.
    roundingMs: 0,
    failures: failuresIn(page),
    labelsWithoutFailures: [TRANSACTION],
    users: { mostActive: mostActiveIn(console) },
  };
}

/** Load tests that JMeter's listeners fill: per interval, and per sample. */
const MERGED = "jmeter-merged";
const SINGLE = "jmeter-single";

function listenersFor({ url, key }: Receiver): PlanListener[] {
  return [
    influxListener("InfluxdbBackendListenerClient", { url: `${url}/write?db=${MERGED}`, key }),
    influxListener("InfluxDBRawBackendListenerClient", {
      url: `${url}/api/v2/write?org=any&bucket=${SINGLE}&precision=ns`,
      key,
    }),
  ];
}

/** The listener that sends samples strips quotes from the ends of labels. */
const QUOTES = /^"+|"+$/g;
const SUB_RESULT = /^Old-\d$/;

/** Neither listener sends sub-results. */
function mainSamples(report: RunReport, without = /(?!)/g): RunReport {
  const own = Object.entries(report.endpoints).filter(([label]) => !SUB_RESULT.test(label));
  const renamed = own.map(
    ([label, endpoint]) => [label.replaceAll(without, ""), endpoint] as const,
  );
  return { ...report, endpoints: Object.fromEntries(renamed) };
}

/** The listener sends only JMeter's own percentiles of the distribution. */
function withoutQuantiles(report: RunReport): RunReport {
  const endpoints = Object.entries(report.endpoints).map(([label, endpoint]) => {
    const { quantilesMs: _, ...rest } = endpoint;
    return [label, rest] as const;
  });
  return { ...report, endpoints: Object.fromEntries(endpoints) };
}

/** An entry of statistics.json; percentiles are the 90th, 95th and 99th. */
interface Statistics {
  readonly sampleCount: number;
  readonly errorCount: number;
  readonly meanResTime: number;
  readonly medianResTime: number;
  readonly minResTime: number;
  readonly maxResTime: number;
  readonly pct1ResTime: number;
  readonly pct2ResTime: number;
  readonly pct3ResTime: number;
}

function endpointsIn(statistics: Record<string, Statistics>): Record<string, ReportedEndpoint> {
  const own = Object.entries(statistics).filter(([label]) => label !== "Total");
  return Object.fromEntries(own.map(([label, each]) => [label, endpointOf(each)]));
}

function endpointOf(each: Statistics): ReportedEndpoint {
  return {
    count: each.sampleCount,
    errors: each.errorCount,
    avgMs: each.meanResTime,
    minMs: each.minResTime,
    maxMs: each.maxResTime,
    quantilesMs: {
      0.5: each.medianResTime,
      0.9: each.pct1ResTime,
      0.95: each.pct2ResTime,
      0.99: each.pct3ResTime,
    },
  };
}

interface ErrorTable {
  readonly items: readonly { readonly data: readonly [string, number, number, number] }[];
}

/** The error table names a kind by code and message, or only by the message of an assertion. */
function failuresIn(page: string): ReportedFailure[] {
  const table = /createTable\(\$\("#errorsTable"\), (\{.*?\}), function/.exec(page)?.[1] ?? "";
  return (JSON.parse(table) as ErrorTable).items.map(({ data: [name, requests] }) => {
    const [, code, message = ""] = /^(\d{3}|Non HTTP response code: [^/]*)\/(.*)$/.exec(name) ?? [];
    return code === undefined ? { message: name, requests } : { code, message, requests };
  });
}

/** The progress lines have the number of active threads. */
function mostActiveIn(console: string): number {
  const active = [...console.matchAll(/ Active: (\d+) /g)].map(([, count]) => Number(count));
  return Math.max(0, ...active);
}
