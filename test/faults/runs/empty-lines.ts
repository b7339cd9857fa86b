import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** Short times cannot be measured more precisely on a busy machine. */
const SHARE_MAX = 2;
const INFLATED_BYTES = 30_000_000;
const JMETER_HEAD = "timeStamp,elapsed,label,success\n";
const ROW = "1700000000000,5,a,true\n";
const K6_HEAD = `{"type":"Metric","data":{"name":"http_reqs","type":"counter","contains":"default","thresholds":[],"submetrics":null},"metric":"http_reqs"}\n`;

const BOMBS = [
  { head: JMETER_HEAD, line: "\n" },
  { head: JMETER_HEAD, line: "\r\n" },
  { head: K6_HEAD, line: "\n" },
] as const;

/** A round is an upload of each kind. */
export const emptyLines: Fault = {
  id: "A6",
  title:
    "Uploads of 30 kB of gzip that inflate to 30 MB of empty lines, in JMeter's CSV and k6's JSON, take at most twice the processor time of 30 MB of rows.",
  rounds: { fast: 1, nightly: 5, release: 10 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    const rows = fileOf(JMETER_HEAD, ROW);
    // Loads and compiles the code, so that this does not count.
    await usedSeconds(server, rows, "first");
    const used = BOMBS.map(() => 0);
    let rowSeconds = 0;
    for (let round = 0; round < rounds; round++) {
      rowSeconds += await usedSeconds(server, rows, `rows-${round}`);
      for (const [kind, { head, line }] of BOMBS.entries()) {
        const seconds = await usedSeconds(server, fileOf(head, line), `${kind}-${round}`);
        used[kind] = (used[kind] ?? 0) + seconds;
      }
    }
    log(
      `rows ${rowSeconds.toFixed(2)} s, lines ${used.map((each) => each.toFixed(2)).join(", ")} s`,
    );
    const most = Math.max(...used);
    const text = `${most.toFixed(2)} s for empty lines, ${rowSeconds.toFixed(2)} s for rows`;
    assert.ok(most <= SHARE_MAX * rowSeconds, text);
    return {
      "uploads of each kind": rounds,
      "processor seconds of rows": (rowSeconds / rounds).toFixed(2),
      "of empty lines at most": (most / rounds).toFixed(2),
    };
  },
};

function fileOf(head: string, line: string): Uint8Array<ArrayBuffer> {
  const lines = Buffer.alloc(INFLATED_BYTES - (INFLATED_BYTES % line.length), line);
  return Uint8Array.from(gzipSync(Buffer.concat([Buffer.from(head), lines])));
}

/** CPU seconds of an upload into a load test of its own. */
async function usedSeconds(
  server: ServedStore,
  body: Uint8Array<ArrayBuffer>,
  id: string,
): Promise<number> {
  const before = await processorSeconds(server);
  const answer = await server.fetch(`/Api/LoadTests/${id}/Results`, { method: "POST", body });
  assert.equal(answer.status, 201, await answer.text());
  return (await processorSeconds(server)) - before;
}

async function processorSeconds(server: ServedStore): Promise<number> {
  const text = await server.text("/metrics");
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}
