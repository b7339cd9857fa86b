import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { planOf, TRANSACTION } from "./jmeter-plan.ts";
import { copyJars } from "./maven.ts";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, ReportedFailure } from "./tool.ts";

const VERSION = "5.6.3";
const PARTS = ["core", "http", "java", "components", "functions"];

const PROPERTIES = {
  // The shortest interval of its progress that JMeter takes.
  "summariser.interval": "6",
  // No port for commands.
  "jmeterengine.nongui.port": "0",
  // Each row is written when it is there, so that it can be followed.
  "jmeter.save.saveservice.autoflush": "true",
};

/** JMeter: one run that writes CSV and XML at once, and the report that it makes of the CSV. */
export const jmeter: LoadTool = {
  name: "jmeter",
  version: VERSION,

  /** Lays the jars out as the archive that JMeter is downloaded as does. */
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

  async record({ toolFolder, workFolder, target, seconds }) {
    const xmlFile = path.join(workFolder, "samples.xml");
    writeFileSync(
      path.join(workFolder, "plan.jmx"),
      planOf({ port: target.port, seconds, xmlFile }),
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

  async readToolReport({ workFolder }) {
    const report = path.join(workFolder, "report");
    const statistics = readFileSync(path.join(report, "statistics.json"), "utf8");
    const page = readFileSync(path.join(report, "content", "js", "dashboard.js"), "utf8");
    const console = readFileSync(path.join(workFolder, "console.log"), "utf8");
    return {
      endpoints: endpointsIn(JSON.parse(statistics) as Record<string, Statistics>),
      // Its averages are not rounded.
      roundingMs: 0,
      failures: failuresIn(page),
      labelsWithoutFailures: [TRANSACTION],
      users: { mostActive: mostActiveIn(console) },
    };
  },
};

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

/** The table of errors names a kind by code and message, or by the message of an assertion alone. */
function failuresIn(page: string): ReportedFailure[] {
  const table = /createTable\(\$\("#errorsTable"\), (\{.*?\}), function/.exec(page)?.[1] ?? "";
  return (JSON.parse(table) as ErrorTable).items.map(({ data: [name, requests] }) => {
    const [, code, message = ""] = /^(\d{3}|Non HTTP response code: [^/]*)\/(.*)$/.exec(name) ?? [];
    return code === undefined ? { message: name, requests } : { code, message, requests };
  });
}

/** The lines of its progress tell how many threads are active. */
function mostActiveIn(console: string): number {
  const active = [...console.matchAll(/ Active: (\d+) /g)].map(([, count]) => Number(count));
  return Math.max(0, ...active);
}
