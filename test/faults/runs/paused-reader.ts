import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { published } from "../../support/batches.ts";
import { densePoints } from "../../support/dense-points.ts";
import type { Store } from "../../../src/store/store.ts";
import { makeFolder, STORE_FILE } from "../disk/data-folder.ts";
import { type FaultServer, METRICS, withServer } from "../disk/fault-server.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const MEBIBYTE = 1024 ** 2;
const LOG_BYTES_MAX = 64 * MEBIBYTE;
const EMPTY_WITHIN_MS = 60_000;
const ENDPOINTS = 100;
const LABELS = Array.from({ length: ENDPOINTS }, (_, number) => `endpoint ${number}`);
const SECONDS = 2000;
const FIRST_SECOND = 1_790_000_000;
/** Data points of a batch: 100 endpoints, 10 seconds. */
const BATCH_SECONDS = 10;
const WORDS = ["--response-cache-bytes-max", "0", "--stall-ms", "600000"];

export const pausedReader: Fault = {
  id: "C21",
  title:
    "A reader stops in the middle of a large answer while 200,000 data points are written: the log stays within 64 MiB and falls back, and the answer is what it was when it began.",
  rounds: { fast: 60, nightly: 200, release: 1000 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data, fill);
    const log = path.join(data, `${STORE_FILE}-wal`);
    let [mostBytes, emptyMs] = [0, 0];
    await withServer({ folder: data, key, words: WORDS }, async (server) => {
      const right = hash("sha256", (await server.get(METRICS)).text);
      const paused = await beginReading(server);
      for (let batch = 0; batch < rounds; batch++) {
        await writeBatch(server, batch);
        mostBytes = Math.max(mostBytes, statSync(log).size);
      }
      emptyMs = await untilEmpty(log);
      assert.equal(hash("sha256", await readOn(paused)), right, "the answer of the paused reader");
      await server.stop();
    });
    assert.ok(mostBytes <= LOG_BYTES_MAX, `the log grew to ${mostBytes} bytes`);
    return {
      "data points": rounds * ENDPOINTS * BATCH_SECONDS,
      "MiB of log at most": Math.ceil(mostBytes / MEBIBYTE),
      "ms until it was empty": emptyMs,
    };
  },
};

async function fill({ points }: Store): Promise<void> {
  const shape = { endpoints: ENDPOINTS, seconds: SECONDS, requestsPerPoint: 1 };
  const batch = { loadTestId: "run", sourceId: "file", visibility: "staged", sequence: 0 } as const;
  const dense = densePoints({ ...shape, firstSecond: FIRST_SECOND });
  await points.append({ ...batch, labels: LABELS, points: dense });
  await points.publish(published("file"));
}

async function writeBatch(server: FaultServer, sequence: number): Promise<void> {
  const firstSecond = FIRST_SECOND + SECONDS + BATCH_SECONDS * sequence;
  const shape = { endpoints: ENDPOINTS, seconds: BATCH_SECONDS, requestsPerPoint: 1 };
  const about = { loadTestId: "run", sourceId: "sender", visibility: "live", sequence } as const;
  const points = densePoints({ ...shape, firstSecond }, sequence);
  const { status, text } = await server.append({ ...about, labels: LABELS, points });
  assert.equal(status, 200, text);
}

/** Reads the first bytes of a response, then stops reading. */
async function beginReading({ address, key }: FaultServer): Promise<IncomingMessage> {
  const request = get(`${address}${METRICS}`, { headers: { "X-Service-Auth": key } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  return response.pause();
}

async function readOn(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

async function untilEmpty(log: string): Promise<number> {
  const beganAtMs = performance.now();
  while (statSync(log).size > 0) {
    const tookMs = performance.now() - beganAtMs;
    assert.ok(tookMs < EMPTY_WITHIN_MS, `the log still has ${statSync(log).size} bytes`);
    await delay(100);
  }
  return Math.round(performance.now() - beganAtMs);
}
