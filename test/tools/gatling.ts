import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { copyJars } from "./maven.ts";
import { runCommand } from "./run-command.ts";
import type { LoadTool, ReportedEndpoint, ReportedFailure, RunReport, ToolRun } from "./tool.ts";

const VERSION = "3.15.1";
const SIMULATION = "ShopSimulation";

/** Gatling: a simulation in Java, read back from its binary log, and its report from the HTML. */
export const gatling: LoadTool = {
  name: "gatling",
  version: VERSION,

  async install(folder) {
    await copyJars(folder, [`io.gatling.highcharts:gatling-charts-highcharts:${VERSION}`]);
    const source = path.join(import.meta.dirname, "gatling");
    copyFileSync(path.join(source, "logback.xml"), path.join(folder, "logback.xml"));
  },

  async record(run) {
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
    return [{ path: path.join(resultsOf(run), "simulation.log"), format: "gatling-binary" }];
  },

  growingFile(run) {
    if (!existsSync(path.join(run.workFolder, "results"))) return undefined;
    const file = path.join(resultsOf(run), "simulation.log");
    return existsSync(file) ? file : undefined;
  },

  async readToolReport(run) {
    const page = readFileSync(path.join(resultsOf(run), "index.html"), "utf8");
    const console = readFileSync(path.join(run.workFolder, "gatling.log"), "utf8");
    return reportOf(page, console);
  },
};

function resultsOf({ workFolder }: ToolRun): string {
  const results = path.join(workFolder, "results");
  const [own] = readdirSync(results);
  return path.join(results, own ?? "");
}

/** The figures of Gatling 3.15 stand in the tables of its page, and nowhere else. */
function reportOf(page: string, console: string): RunReport {
  const users = doneUsers(console);
  return {
    endpoints: endpointsIn(page),
    roundingMs: 0.5,
    failures: failuresIn(page),
    users: { started: users, ended: users },
  };
}

interface Row {
  readonly id: string;
  readonly parent: string;
  readonly name: string;
  /** Text of the cells by the number in their class. */
  readonly cells: ReadonlyMap<number, string>;
}

function endpointsIn(page: string): Record<string, ReportedEndpoint> {
  const rows = [...page.matchAll(/<tr id="([^"]+)" data-parent="([^"]+)">(.*?)<\/tr>/gs)].map(
    ([, id = "", parent = "", content = ""]): Row => ({
      id,
      parent,
      name: textOf(/class="ellipsed-name">(.*?)<\/span>/s.exec(content)?.[1]),
      cells: new Map(
        [...content.matchAll(/<td class="value [^"]*col-(\d+)">(.*?)<\/td>/gs)].map(
          ([, column, text]) => [Number(column), textOf(text)],
        ),
      ),
    }),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return Object.fromEntries(
    rows
      .filter(({ id }) => id.startsWith("req_"))
      .map((row) => [pathOf(row, byId).join(" / "), figuresOf(row.cells)]),
  );
}

function pathOf(row: Row, byId: ReadonlyMap<string, Row>): string[] {
  const parent = byId.get(row.parent);
  return parent === undefined ? [row.name] : [...pathOf(parent, byId), row.name];
}

function figuresOf(cells: ReadonlyMap<number, string>): ReportedEndpoint {
  const cell = (column: number): number => Number(cells.get(column));
  return {
    count: cell(2),
    errors: cell(4),
    minMs: cell(7),
    quantilesMs: { 0.5: cell(8), 0.75: cell(9), 0.95: cell(10), 0.99: cell(11) },
    maxMs: cell(12),
    avgMs: cell(13),
  };
}

/** The table has the ERROR records, too, which are no requests: the simulation has one kind. */
function failuresIn(page: string): ReportedFailure[] {
  const rows = page.matchAll(
    /<td class="error-col-1 total ko">(.*?)<span.*?<td class="value error-col-2 total ko">(\d+)</gs,
  );
  return [...rows]
    .map(([, message, requests]) => ({ message: textOf(message), requests: Number(requests) }))
    .filter(({ message }) => !message.startsWith("not built: "));
}

/** The last lines of the progress tell the users of each scenario that are done. */
function doneUsers(console: string): number {
  const last = console.slice(console.lastIndexOf("---- Requests -"));
  return [...last.matchAll(/ \/ done: +(\d+)/g)].reduce((sum, [, done]) => sum + Number(done), 0);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function textOf(html = ""): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}
