/**
 * Remote write of 10,000 series for an hour at 10 s, 2,000 in each of five runs: the memory that it adds to a server, and bytes per value beside
 * those of Prometheus' own blocks, which Debian's `promtool` makes of the same values (test/tools/prometheus/install-programs.sh):
 *
 *     node bench/remote-write.bench.ts
 */

import { execFileSync } from "node:child_process";
import {
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { MeasureAccumulator } from "../src/aggregate/measure-accumulator.ts";
import { mergePoints } from "../src/model/merge-points.ts";
import { openCompactedStore } from "../test/support/compacted-store.ts";
import { bytes, double, message, number, snappyBlock } from "../test/support/remote-write.ts";
import { runTachograph, startTachograph } from "../test/support/run-tachograph.ts";
import { seededRandom } from "./seeded-random.ts";

const RUNS = 5;
const SERIES = 2000;
const STEPS = 360;
const STEP_SECONDS = 10;
const START = 1_795_690_800;
/** After it, a run is over. */
const SETTLED_MS = 7_200_000;

const KINDS = [
  "constant",
  "constant",
  "constant",
  "bytes",
  "bytes",
  "packets",
  "seconds",
  "seconds",
  "memory",
  "load",
];

/** As a node exporter has them: constants, totals, memory in pages, and a ratio. */
function* valuesOf(series: number): Generator<number> {
  const random = seededRandom(series + 1);
  const kind = KINDS[series % KINDS.length];
  let value = kind === "memory" ? 4096 * Math.floor(1e6 * random()) : Math.floor(1e6 * random());
  for (;;) {
    yield kind === "load" ? Math.round(100 * random()) / 100 : Math.round(100 * value) / 100;
    if (kind === "bytes") value += Math.floor(50_000 * random());
    if (kind === "packets") value += Math.floor(100 * random());
    if (kind === "seconds") value += Math.round(1000 * random()) / 100;
    if (kind === "memory") value += 4096 * Math.floor(200 * (random() - 0.5));
  }
}

const labelsOf = (run: number, series: number): readonly (readonly [string, string])[] => [
  ["__name__", `node_${KINDS[series % KINDS.length]}_${series % 40}`],
  ["device", `device${Math.floor(series / 40)}`],
  ["instance", "10.0.0.1:9100"],
  ["job", "node"],
  ["load_test", `run-${run}`],
];

const scratch = mkdtempSync(path.join(tmpdir(), "tachograph-remote-write-"));
try {
  const own = (await mergedBytes(scratch)) / (SERIES * STEPS);
  const peer = (await prometheusBytes(scratch)) / (SERIES * STEPS);
  console.log(
    `bytes per value: ${own.toFixed(2)}, Prometheus ${peer.toFixed(2)}: ${(own / peer).toFixed(2)} x`,
  );
  const added = await send(path.join(scratch, "data"));
  console.log(
    `memory added while ${RUNS * SERIES} series x ${STEPS} values arrive: ${added.toFixed(0)} MB`,
  );
} finally {
  rmSync(scratch, { recursive: true });
}

/** Returns the growth of the server's memory at its highest, in MB. */
async function send(data: string): Promise<number> {
  const create = ["keys", "create", "--name", "bench", "--scope", "write", "--data", data];
  const key = (await runTachograph(create)).out.trim();
  const server = startTachograph(["serve", "--port", "0", "--data", data]);
  const url = /answers at (\S+?)\/?$/m.exec(await server.printed("answers at"))?.[1];
  const pid = server.process.pid ?? 0;
  await delay(3000);
  const before = memoryOf(pid, "VmRSS");
  const all = Array.from({ length: RUNS }, (_, run) =>
    Array.from({ length: SERIES }, (__, series) => ({
      labels: message(
        ...labelsOf(run, series).map(([name, text]) =>
          bytes(1, message(bytes(1, name), bytes(2, text))),
        ),
      ),
      values: valuesOf(run * SERIES + series),
    })),
  );
  for (let step = 0; step < STEPS; step++) {
    for (const run of all) {
      const unixMillis = (START + step * STEP_SECONDS) * 1000 + 345;
      const body = run.map(({ labels, values }) => {
        const sample = message(double(1, values.next().value ?? 0), number(2, unixMillis));
        return bytes(1, message(labels, bytes(2, sample)));
      });
      const answer = await fetch(`${url}/api/v1/write`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/x-protobuf",
          "content-encoding": "snappy",
        },
        body: Uint8Array.from(snappyBlock(Buffer.concat(body))),
      });
      if (answer.status !== 204) throw new Error(`status ${answer.status}: ${await answer.text()}`);
    }
  }
  const most = memoryOf(pid, "VmHWM");
  server.process.kill("SIGTERM");
  await server.outcome;
  return most - before;
}

function memoryOf(pid: number, name: "VmRSS" | "VmHWM"): number {
  const kB = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return (Number(kB?.[1]) * 1024) / 1e6;
}

/** Of the blocks of one run that is over, with the names of their series. */
async function mergedBytes(folder: string): Promise<number> {
  let nowMs = START * 1000;
  const store = openCompactedStore(folder, { now: () => nowMs });
  await store.loadTests.create({ id: "run", name: "Run", createdAtMs: nowMs });
  const all = Array.from({ length: SERIES }, (_, series) => valuesOf(series));
  for (let step = 0; step < STEPS; step++) {
    const measures = new MeasureAccumulator();
    for (const [series, values] of all.entries()) {
      const [[, name] = ["", ""], ...tags] = labelsOf(0, series);
      const own = measures.seriesOf({ label: undefined, name, unit: "", kind: "gauge", tags });
      const unixMillis = (START + step * STEP_SECONDS) * 1000 + 345;
      measures.add(own, unixMillis, values.next().value ?? 0);
    }
    await store.points.append({
      loadTestId: "run",
      sourceId: "prometheus",
      visibility: "live",
      sequence: step,
      labels: [],
      points: mergePoints([]),
      measures: measures.take(),
    });
  }
  nowMs += SETTLED_MS;
  await store.compact();
  await store.close();
  const database = new DatabaseSync(path.join(folder, "store.db"));
  const sum = "sum(length(plain) + coalesce(length(distribution), 0))";
  const shown = "JOIN blocks ON number = block WHERE hidden_at_ms IS NULL AND shown_until IS NULL";
  const stored = database.prepare(`SELECT ${sum} AS stored FROM segments ${shown}`).get();
  database.close();
  return Number(stored?.["stored"]);
}

/** Of the blocks of one run, with their index. */
async function prometheusBytes(folder: string): Promise<number> {
  const file = path.join(folder, "values.txt");
  const stream = createWriteStream(file);
  // A family must not be interrupted.
  const order = Array.from({ length: SERIES }, (_, series) => series).toSorted(
    (left, right) => (left % 40) - (right % 40),
  );
  for (const series of order) {
    const [[, name] = ["", ""], ...tags] = labelsOf(0, series);
    const own = tags.map(([tag, text]) => `${tag}="${text}"`).join();
    const values = valuesOf(series);
    let lines = "";
    for (let step = 0; step < STEPS; step++) {
      lines += `${name}{${own}} ${values.next().value} ${START + step * STEP_SECONDS}.345\n`;
    }
    if (!stream.write(lines)) await once(stream, "drain");
  }
  stream.end("# EOF\n");
  await once(stream, "finish");
  const blocks = path.join(folder, "blocks");
  execFileSync("/usr/bin/promtool", ["tsdb", "create-blocks-from", "openmetrics", file, blocks], {
    stdio: "ignore",
  });
  return sizeOf(blocks);
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names
    .map((name) => statSync(path.join(folder, name)))
    .filter((each) => each.isFile());
  return files.reduce((sum, { size }) => sum + size, 0);
}
