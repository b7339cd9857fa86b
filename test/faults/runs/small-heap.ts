import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import path from "node:path";
import { published } from "../../support/batches.ts";
import { densePoints } from "../../support/dense-points.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { type FaultServer, METRICS, withServer } from "../disk/fault-server.ts";
import { peakMebibytes } from "../disk/memory.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const MEBIBYTE = 1024 ** 2;
const HEAP_MEBIBYTES = 256;
const RESIDENT_MEBIBYTES_MAX = 400;
const ANSWER_MEBIBYTES_MIN = 40;
const ENDPOINTS = 100;
const LABELS = Array.from({ length: ENDPOINTS }, (_, number) => `endpoint ${number}`);
/** Seconds of a batch; the batches together make a response of 40 MB. */
const BATCH_SECONDS = 500;
const BATCHES = 18;
const FIRST_SECOND = 1_790_000_000;

export const smallHeap: Fault = {
  id: "C14",
  title:
    "Clients ask all at once for an answer of 40 MB of a server whose heap may have 256 MB: all of them are right, and the process stays within 400 MB.",
  rounds: { fast: 4, nightly: 20, release: 20 },

  async run({ rounds: clients, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data, fill);
    const environment = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MEBIBYTES}` };
    return withServer({ folder: data, key, environment }, async (server) => {
      const right = await download(server);
      assert.ok(right.bytes >= ANSWER_MEBIBYTES_MIN * MEBIBYTE, `only ${right.bytes} bytes`);
      const all = await Promise.all(Array.from({ length: clients }, () => download(server)));
      for (const answer of all) assert.deepEqual(answer, right);
      const peak = peakMebibytes(server.processId) ?? Number.POSITIVE_INFINITY;
      assert.ok(peak <= RESIDENT_MEBIBYTES_MAX, `${peak} MiB of memory`);
      await server.stop();
      return {
        clients,
        "MiB of an answer": Math.round(right.bytes / MEBIBYTE),
        "MiB at most": peak,
      };
    });
  },
};

async function fill({ points }: Store): Promise<void> {
  const about = { loadTestId: "run", sourceId: "file", visibility: "staged" } as const;
  for (let sequence = 0; sequence < BATCHES; sequence++) {
    const firstSecond = FIRST_SECOND + sequence * BATCH_SECONDS;
    const shape = { endpoints: ENDPOINTS, seconds: BATCH_SECONDS, requestsPerPoint: 1 };
    const dense = densePoints({ ...shape, firstSecond }, sequence);
    await points.append({ ...about, sequence, labels: LABELS, points: dense });
  }
  await points.publish(published("file"));
}

interface Download {
  readonly bytes: number;
  readonly digest: string;
}

async function download({ address, key }: FaultServer): Promise<Download> {
  const headers = { "X-Service-Auth": key, "Accept-Encoding": "identity" };
  const response = await fetch(`${address}${METRICS}`, { headers });
  assert.equal(response.status, 200);
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    digest.update(piece as Uint8Array);
    bytes += (piece as Uint8Array).length;
  }
  return { bytes, digest: digest.digest("hex") };
}
