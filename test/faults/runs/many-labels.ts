import assert from "node:assert/strict";
import path from "node:path";
import { Readable } from "node:stream";
import { makeFolder } from "../disk/data-folder.ts";
import { type FaultServer, withServer } from "../disk/fault-server.ts";
import { peakMebibytes } from "../disk/memory.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const RESIDENT_MEBIBYTES_MAX = 512;
/** One line write has this share of the labels. */
const LINES_SHARE = 0.25;
const ROWS_AT_ONCE = 10_000;

/** Rounds are thousands of labels. */
export const manyLabels: Fault = {
  id: "M1",
  title:
    "A quarter of a million labels come in one line write, a million in one file, and a fresh server gives the summary of all of them: each stays under 512 MiB.",
  rounds: { fast: 0, nightly: 1000, release: 1000 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    const labels = 1000 * rounds;
    const data = path.join(folder, "data");
    const key = await makeFolder(data);
    const peaks: Record<string, number> = {};
    const measured = async (name: string, use: (server: FaultServer) => Promise<void>) => {
      peaks[name] = await withServer({ folder: data, key }, async (server) => {
        await use(server);
        const peak = peakMebibytes(server.processId) ?? Number.POSITIVE_INFINITY;
        await server.stop();
        return peak;
      });
      log(`${name}: ${peaks[name]} MiB`);
    };
    await measured("MiB for the line write", (server) => writeLines(server, labels * LINES_SHARE));
    await measured("MiB for the file", (server) => upload(server, labels));
    await measured("MiB for the first 200 rows", async (server) => {
      assert.equal((await summaryOf(server, "run", "?limit=200&sort=p99")).rows, 200);
    });
    await measured("MiB for the summary", async (server) => {
      const { rows, requests } = await summaryOf(server, "run");
      assert.deepEqual([rows, requests], [labels, labels]);
    });
    for (const [name, peak] of Object.entries(peaks)) {
      assert.ok(peak < RESIDENT_MEBIBYTES_MAX, `${name}: ${peak}`);
    }
    return { labels, ...peaks };
  },
};

async function writeLines(server: FaultServer, labels: number): Promise<void> {
  const body = Array.from({ length: labels }, (_, number) => lineOf(number)).join("\n");
  const answer = await ask(server, "/write?db=lines", { method: "POST", body });
  assert.equal(answer.status, 204, await answer.text());
  assert.equal((await summaryOf(server, "lines", "?limit=1")).requests, labels);
}

function lineOf(number: number): string {
  return `http_req_duration,name=/page/${number},status=200 value=1 1700000000000000000`;
}

async function upload(server: FaultServer, labels: number): Promise<void> {
  const body = Readable.toWeb(Readable.from(jtl(labels)));
  const request = { method: "POST", body, duplex: "half" };
  const answer = await ask(server, "/Api/LoadTests/run/Results?file=results.jtl", request);
  assert.equal(answer.status, 201, await answer.text());
}

function* jtl(labels: number): Generator<Uint8Array> {
  yield Buffer.from("timeStamp,elapsed,label,success\n");
  for (let from = 0; from < labels; from += ROWS_AT_ONCE) {
    const rows = Math.min(ROWS_AT_ONCE, labels - from);
    const row = (at: number): string => `1700000000000,5,http://host/${from + at},true\n`;
    yield Buffer.from(Array.from({ length: rows }, (_, at) => row(at)).join(""));
  }
}

/**
 * Counts the rows of a summary while streaming it: a summary of a million labels has some 500 MB.
 */
async function summaryOf(
  server: FaultServer,
  loadTestId: string,
  query = "",
): Promise<{ readonly rows: number; readonly requests: number }> {
  const answer = await ask(server, `/Api/LoadTests/${loadTestId}/Summary${query}`);
  assert.equal(answer.status, 200);
  let [text, head, rows] = ["", "", 0];
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (head === "") head = text;
    rows += text.split('"label":').length - 1;
    text = text.slice(-'"label":'.length + 1);
  }
  return { rows, requests: Number(/"count":(\d+)/.exec(head)?.[1]) };
}

function ask(
  { address, key }: FaultServer,
  target: string,
  request: Record<string, unknown> = {},
): Promise<Response> {
  return fetch(`${address}${target}`, { headers: { "X-Service-Auth": key }, ...request });
}
