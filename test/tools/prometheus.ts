import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { runTachograph } from "../support/run-tachograph.ts";
import { KilledServer } from "./killed-runs.ts";
import {
  differencesOf,
  type RunningPrometheus,
  startPrometheus,
  valuesOf,
} from "./prometheus/run-prometheus.ts";
import { runCommand } from "./run-command.ts";
import { readMeasures } from "./telemetry/read-measures.ts";
import type { Integration } from "./tool.ts";

const WRITTEN = "written";
const PULLED = "pulled";
const PATTERN = "node_(cpu|memory|network|load|disk).*";
const KILLS = 5;
/** Between two kills of the server. */
const ROUND_MS = 4000;
const QUERIES = [
  "node_cpu_seconds_total",
  'cpu=sum by (mode) (rate(node_cpu_seconds_total{mode=~"user|system"}[3s]))',
  "load=node_load1",
];

/** Debian's Prometheus with a node exporter: what it sends while the server is killed, and what is pulled from it, is what it has. */
export const prometheus: Integration = {
  name: "prometheus",
  version: "debian",
  tool: {
    name: "prometheus",
    version: "debian",
    async install(folder) {
      const script = path.join(import.meta.dirname, "prometheus", "install-programs.sh");
      await runCommand(script, [], { cwd: folder, log: path.join(folder, "install.log") });
    },
  },

  async check({ workFolder }) {
    const data = path.join(workFolder, "data");
    await using server = await KilledServer.start(data);
    const { url, key } = server;
    const target = { url, key, loadTestId: WRITTEN, pattern: PATTERN };
    const running = await startPrometheus(path.join(workFolder, "prometheus"), target);
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(ROUND_MS);
        await server.killAndRestart();
      }
      await delay(ROUND_MS);
      const sent = await running.raw(`{__name__=~"${PATTERN}"}`);
      const pulled = await comparePulled(running, server, data);
      await running.close();
      await server.stop();
      const stored = valuesOf(await readMeasures(data, WRITTEN));
      const seconds = [...sent.keys()].map((each) => Number.parseInt(each, 10));
      const last = Math.max(...seconds);
      const known = [...stored].filter(([each]) => Number.parseInt(each, 10) <= last);
      return {
        differences: [
          ...differencesOf(new Map(known), sent),
          ...(sent.size > 1000 ? [] : [`only ${sent.size} values were sent`]),
          ...pulled.differences,
        ],
        figures: `${sent.size} values sent across ${KILLS} kills of the server, ${pulled.values} pulled twice`,
      };
    } finally {
      await running.close();
    }
  },
};

/** Pulls 23 s over the network, twice. */
async function comparePulled(running: RunningPrometheus, server: KilledServer, data: string) {
  const until = Math.floor(Date.now() / 1000) - 2;
  const from = until - 22;
  const place = ["--url", server.url, "--key", server.key, "--prometheus", running.url];
  const range = ["--from", `${from}`, "--until", `${until + 1}`];
  const queries = QUERIES.flatMap((query) => ["--query", query]);
  const words = ["measures", "pull", PULLED, "--json", ...place, ...range, ...queries];
  const asked = await Promise.all(
    [
      ["node_cpu_seconds_total", ""],
      ['sum by (mode) (rate(node_cpu_seconds_total{mode=~"user|system"}[3s]))', "cpu"],
      ["node_load1", "load"],
    ].map(async ([query = "", name]) => {
      const values = await running.range(query, from, until);
      return [...values].map(
        ([each, value]) =>
          [
            // A query may name the measure.
            name === "" ? each : each.replace(/^(\d+) \S*/, `$1 ${name}`),
            value,
          ] as const,
      );
    }),
  );
  const want = new Map(asked.flat());
  const differences: string[] = [];
  for (const isAgain of [false, true]) {
    const { out } = await runTachograph(words);
    const report = JSON.parse(out) as readonly { readonly isUnchanged: boolean }[];
    if (report.some(({ isUnchanged }) => isUnchanged !== isAgain)) {
      differences.push(`pulled ${isAgain ? "again" : "first"}: ${out.trim()}`);
    }
    // The store may be read beside the server.
    differences.push(...differencesOf(valuesOf(await readMeasures(data, PULLED)), want));
  }
  if (want.size < 300) differences.push(`only ${want.size} values were pulled`);
  return { differences, values: want.size };
}
