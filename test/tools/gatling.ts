import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  doneUsers,
  endpointsInPage,
  endpointsInStatistics,
  failuresInPage,
} from "./gatling-report.ts";
import { copyJars } from "./maven.ts";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, ToolRun } from "./tool.ts";

const SIMULATION = "ShopSimulation";

/** Gatling: a simulation in Java, its binary log and the tables of its page. */
export const gatling = gatlingOf({
  name: "gatling",
  version: "3.15.1",
  format: "gatling-binary",
  readEndpoints: (results) => endpointsInPage(readText(results, "index.html")),
});

/** The last Gatling that writes a text log, with the same simulation. */
export const gatlingText = gatlingOf({
  name: "gatling-text",
  version: "3.12.0",
  format: "gatling-text",
  readEndpoints: (results) => endpointsInStatistics(readText(results, "js/stats.json")),
});

interface GatlingVersion {
  readonly name: string;
  readonly version: string;
  readonly format: string;
  /** Reads the statistics in its results folder. */
  readonly readEndpoints: (results: string) => Record<string, ReportedEndpoint>;
}

function gatlingOf({ name, version, format, readEndpoints }: GatlingVersion): LoadTool {
  return {
    name,
    version,
    install: (folder) => install(folder, version),

    async record(run) {
      await runSimulation(run);
      return [{ path: path.join(resultsOf(run), "simulation.log"), format }];
    },

    growingFile(run) {
      if (!existsSync(path.join(run.workFolder, "results"))) return undefined;
      const file = path.join(resultsOf(run), "simulation.log");
      return existsSync(file) ? file : undefined;
    },

    async readToolReport(run) {
      const results = resultsOf(run);
      const users = doneUsers(readText(run.workFolder, "gatling.log"));
      return {
        endpoints: readEndpoints(results),
        roundingMs: 0.5,
        failures: failuresInPage(readText(results, "index.html")),
        users: { started: users, ended: users },
      };
    },
  };
}

async function install(folder: string, version: string): Promise<void> {
  await copyJars(folder, [`io.gatling.highcharts:gatling-charts-highcharts:${version}`]);
  const source = path.join(import.meta.dirname, "gatling");
  copyFileSync(path.join(source, "logback.xml"), path.join(folder, "logback.xml"));
}

async function runSimulation(run: ToolRun): Promise<void> {
  const { toolFolder, workFolder, target, seconds } = run;
  const jars = path.join(toolFolder, "lib", "*");
  const options = { cwd: workFolder, log: path.join(workFolder, "gatling.log") };
  const source = path.join(import.meta.dirname, "gatling", `${SIMULATION}.java`);
  mkdirSync(path.join(workFolder, "classes"));
  await runCommand("javac", ["-cp", jars, "-d", "classes", source], options);
  await runCommand(
    "java",
    [
      "--add-opens=java.base/java.lang=ALL-UNNAMED",
      `-Dtarget=${target.url}`,
      `-Dseconds=${seconds}`,
      "-cp",
      ["classes", toolFolder, jars].join(path.delimiter),
      "io.gatling.app.Gatling",
      "-s",
      SIMULATION,
      "-rf",
      "results",
    ],
    { ...options, timeoutMs: (seconds + 120) * 1000 },
  );
}

function resultsOf({ workFolder }: ToolRun): string {
  const results = path.join(workFolder, "results");
  const [own] = readdirSync(results);
  return path.join(results, own ?? "");
}

function readText(folder: string, file: string): string {
  return readFileSync(path.join(folder, file), "utf8");
}
