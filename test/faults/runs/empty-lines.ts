import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

/** Short times cannot be measured more precisely. */
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
  rounds: { fast: 3, nightly: 5, release: 10 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    const bodies = [{ head: JMETER_HEAD, line: ROW }, ...BOMBS].map(fileOf);
    // Loading and compiling the code of each format does not count.
    for (const [kind, body] of bodies.entries()) await usedSeconds(server, body, `first-${kind}`);
    const used = bodies.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [kind, body] of bodies.entries()) {
        used[kind]?.push(await usedSeconds(server, body, `${kind}-${round}`));
      }
    }
    // What else the process did in the meantime only adds to a figure.
    const [rows = NaN, ...lines] = used.map((seconds) => Math.min(...seconds));
    log(
      `rows ${rows.toFixed(2)} s, lines ${lines.map((each) => each.toFixed(2)).join(", ")} s at best`,
    );
    const most = Math.max(...lines);
    const text = `${most.toFixed(2)} s for empty lines, ${rows.toFixed(2)} s for rows`;
    assert.ok(most <= SHARE_MAX * rows, text);
    return {
      "uploads of each kind": rounds,
      "processor seconds of rows": rows.toFixed(2),
      "of empty lines at most": most.toFixed(2),
    };
  },
};

function fileOf({ head, line }: { head: string; line: string }): Uint8Array<ArrayBuffer> {
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
  const answer = await server.fetch(`/Api/LoadTests/${id}/Results?allowEmpty=true`, {
    method: "POST",
    body,
  });
  assert.equal(answer.status, 201, await answer.text());
  return (await processorSeconds(server)) - before;
}

async function processorSeconds(server: ServedStore): Promise<number> {
  const text = await server.text("/metrics");
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}
