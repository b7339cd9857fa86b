/**
 * Installs real load tools, runs each against a server on loopback, imports what it recorded and
 * compares it with the tool's own report:
 *
 *     npm run task test:tools [-- [--require] [--seconds 20] [--keep FOLDER] TOOL...]
 *
 * Exits with 1 if anything differs, or, with --require, if a tool could not be installed.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { artillery } from "./artillery.ts";
import { compareRun } from "./compare-run.ts";
import { compareSent } from "./compare-sent.ts";
import { recordFollowed } from "./follow-run.ts";
import { gatling, gatlingText } from "./gatling.ts";
import { goose } from "./goose.ts";
import { prometheus } from "./prometheus.ts";
import { k6Prometheus } from "./prometheus/k6.ts";
import { installTool } from "./install.ts";
import { jmeter } from "./jmeter.ts";
import { locust } from "./locust.ts";
import { k6 } from "./k6.ts";
import { k6Measured } from "./k6/measured.ts";
import { startReceiver } from "./receiver.ts";
import { startTargetServer } from "./target-server.ts";
import { jmeterListener } from "./jmeter-listener.ts";
import { locustPlugin } from "./locust-plugin.ts";
import { artilleryOtel } from "./telemetry/artillery-otel.ts";
import { collector } from "./telemetry/collector.ts";
import { locustOtel } from "./telemetry/locust-otel.ts";
import { telegraf } from "./telemetry/telegraf.ts";
import type { Integration, LoadTool } from "./tool.ts";

const TOOLS: readonly (LoadTool | Integration)[] = [
  gatling,
  gatlingText,
  jmeter,
  jmeterListener,
  locust,
  locustPlugin,
  locustOtel,
  artilleryOtel,
  telegraf,
  collector,
  prometheus,
  goose,
  artillery,
  k6,
  k6Measured,
  k6Prometheus,
];

type Outcome = "equal" | "differs" | "skipped";

interface Settings {
  readonly seconds: number;
  /** Where the files of the runs are kept. */
  readonly keptIn: string | undefined;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      require: { type: "boolean", default: false },
      seconds: { type: "string", default: "20" },
      keep: { type: "string" },
    },
  });
  const unknown = positionals.filter((name) => TOOLS.every((tool) => tool.name !== name));
  if (unknown.length > 0) {
    console.error(`unknown tools: ${unknown.join(", ")}; known: ${TOOLS.map(nameOf).join(", ")}`);
    return 2;
  }
  const settings = { seconds: Number(values.seconds), keptIn: values.keep };
  const outcomes: Outcome[] = [];
  for (const tool of TOOLS) {
    const isAsked = positionals.includes(tool.name);
    const { isOnDemand = false } = tool;
    if (positionals.length > 0 ? !isAsked : isOnDemand) continue;
    outcomes.push(await testTool(tool, settings));
  }
  const isSkipped = outcomes.includes("skipped") && values.require;
  return outcomes.includes("differs") || isSkipped ? 1 : 0;
}

function nameOf({ name }: LoadTool | Integration): string {
  return name;
}

/** Tests one tool and prints the result. */
async function testTool(tool: LoadTool | Integration, settings: Settings): Promise<Outcome> {
  const title = `${tool.name} ${tool.version}`;
  let toolFolder: string;
  try {
    toolFolder = await installTool("tool" in tool ? tool.tool : tool);
  } catch (error) {
    console.log(`SKIPPED  ${title}: it cannot be installed: ${messageOf(error)}`);
    return "skipped";
  }
  try {
    const { differences, figures } = await ("tool" in tool
      ? runIntegration(tool, toolFolder, settings)
      : runTool(tool, toolFolder, settings));
    console.log(`${differences.length === 0 ? "equal  " : "DIFFERS"}  ${title}`);
    for (const line of [...figures, ...differences.slice(0, 20)]) console.log(`         ${line}`);
    return differences.length === 0 ? "equal" : "differs";
  } catch (error) {
    console.log(`DIFFERS  ${title}: ${messageOf(error)}`);
    return "differs";
  }
}

async function runIntegration(
  integration: Integration,
  toolFolder: string,
  { keptIn }: Settings,
): Promise<{ readonly differences: readonly string[]; readonly figures: readonly string[] }> {
  const workFolder = workFolderOf(integration, keptIn);
  const target = await startTargetServer();
  try {
    const { differences, figures } = await integration.check({ toolFolder, workFolder, target });
    return { differences, figures: [figures] };
  } finally {
    await target.close();
    if (keptIn === undefined) rmSync(workFolder, { recursive: true, force: true });
  }
}

/** Runs a tool and compares each of its files; the lines begin with the name of the file. */
async function runTool(
  tool: LoadTool,
  toolFolder: string,
  { seconds, keptIn }: Settings,
): Promise<{ readonly differences: readonly string[]; readonly figures: readonly string[] }> {
  const workFolder = workFolderOf(tool, keptIn);
  const target = await startTargetServer();
  const receiver = await startReceiver(path.join(workFolder, "received"));
  try {
    const run = { toolFolder, workFolder, target, receiver, seconds };
    const { files, followed } = await recordFollowed(tool, run);
    const differences: string[] = [];
    const figures: string[] = [];
    for (const file of files) {
      const report = await tool.readToolReport(run, file);
      const isFollowed = file.path === tool.growingFile?.(run);
      const comparison = await compareRun(file, report, isFollowed ? followed : undefined);
      differences.push(...comparison.differences);
      figures.push(`${file.format}: ${comparison.figures}`);
    }
    for (const sent of (await tool.readSent?.(run)) ?? []) {
      const comparison = await compareSent(receiver, sent);
      differences.push(...comparison.differences);
      figures.push(`sent as ${sent.loadTestId}: ${comparison.figures}`);
    }
    return { differences, figures };
  } finally {
    await receiver.close();
    await target.close();
    if (keptIn === undefined) rmSync(workFolder, { recursive: true, force: true });
  }
}

function workFolderOf({ name }: Pick<LoadTool, "name">, keptIn: string | undefined): string {
  if (keptIn === undefined) return mkdtempSync(path.join(tmpdir(), `tachograph-${name}-`));
  const folder = path.resolve(keptIn, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// A connection that a killed tool left open must not keep this process.
process.exit(await main());
