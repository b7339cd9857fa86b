import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { densePoints } from "../../support/dense-points.ts";
import { loadTest } from "../../support/load-tests.ts";
import { makeFolder, openFolder } from "../disk/data-folder.ts";
import { type FaultServer, withServer } from "../disk/fault-server.ts";
import { LoneSender } from "../disk/lone-sender.ts";
import { peakMebibytes } from "../disk/memory.ts";
import { Ledger } from "../disk/ledger.ts";
import { attachStrace } from "../disk/strace.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const DELAY_MS = 200;
const SLOW = [
  "--trace=fsync,fdatasync",
  `--inject=fsync,fdatasync:delay_exit=${DELAY_MS * 1000}`,
  "--output=/dev/null",
];

/** Number of senders of small batches, and of senders of large ones, which fill the memory. */
const SENDERS = 20;
const ENDPOINTS = 30;
const LABELS = Array.from({ length: ENDPOINTS }, (_, number) => `endpoint ${number}`);
const LARGE_POINTS = densePoints({
  endpoints: ENDPOINTS,
  seconds: 40,
  requestsPerPoint: 2,
  firstSecond: 1_790_000_000,
});
const REQUESTS_OF_LARGE = LARGE_POINTS.requests.reduce((sum, requests) => sum + requests, 0);
const LONE_BATCHES = 5;
const MEBIBYTES_MAX = 512;

export const slowSyncs: Fault = {
  id: "C20",
  title:
    "Each sync of the disk takes 200 ms longer while 40 senders send: no batch is acknowledged early, memory stays under 512 MB, and every batch that was acknowledged is there.",
  rounds: { fast: 1, nightly: 10, release: 20 },
  programs: ["strace"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const data = path.join(folder, "data");
    const key = await makeFolder(data, ({ loadTests }) => loadTests.create(loadTest("large")));
    const ledger = new Ledger();
    const small = Array.from({ length: SENDERS }, (_, sender) => new LoneSender(sender, ledger));
    const counts: Counts = { refused: 0, large: 0, quickestMs: Number.POSITIVE_INFINITY };
    const peak = await withServer({ folder: data, key }, async (server) => {
      // Makes the labels known, so that a later batch needs one sync.
      await Promise.all(small.map((sender) => sender.resume(server)));
      const tracer = await attachStrace(server.processId, SLOW);
      await Promise.all([
        ...small.map((sender) => sendSmall(server, sender, rounds, counts)),
        ...small.map((_, sender) => sendLarge(server, sender, rounds, counts)),
      ]);
      await sendAlone(server, small[0] ?? new LoneSender(), counts);
      const mebibytes = peakMebibytes(server.processId) ?? 0;
      await tracer.detach();
      await server.stop();
      return mebibytes;
    });
    const quickestMs = Math.round(counts.quickestMs);
    assert.ok(quickestMs >= 0.9 * DELAY_MS, `an acknowledgement came after ${quickestMs} ms`);
    assert.ok(peak > 0 && peak <= MEBIBYTES_MAX, `${peak} MiB of memory`);
    await small[0]?.requireStored(data);
    assert.equal(await largeRequests(data), counts.large * REQUESTS_OF_LARGE, "large batches");
    const acknowledged = counts.large + ledger.acknowledged;
    const { refused } = counts;
    return { acknowledged, refused, "MiB at most": peak, "quickest ms": quickestMs };
  },
};

interface Counts {
  refused: number;
  /** Acknowledged large batches. */
  large: number;
  quickestMs: number;
}

async function sendSmall(
  server: FaultServer,
  sender: LoneSender,
  batches: number,
  counts: Counts,
): Promise<void> {
  for (let sent = 0; sent < batches; sent++) {
    const beganAtMs = performance.now();
    const { status } = await sender.send(server);
    if (status !== 200) counts.refused += 1;
    else counts.quickestMs = Math.min(counts.quickestMs, performance.now() - beganAtMs);
  }
}

/** With pauses, so that no other sync can hide a response that does not wait for its own. */
async function sendAlone(server: FaultServer, sender: LoneSender, counts: Counts): Promise<void> {
  for (let sent = 0; sent < LONE_BATCHES; sent++) {
    await delay(2 * DELAY_MS);
    await sendSmall(server, sender, 1, counts);
  }
}

async function sendLarge(
  server: FaultServer,
  sender: number,
  batches: number,
  counts: Counts,
): Promise<void> {
  const about = { loadTestId: "large", sourceId: `large-${sender}`, visibility: "live" } as const;
  for (let sequence = 0; sequence < batches; sequence++) {
    const batch = { ...about, sequence, labels: LABELS, points: LARGE_POINTS };
    const { status } = await server.append(batch);
    counts[status === 200 ? "large" : "refused"] += 1;
  }
}

async function largeRequests(data: string): Promise<number> {
  const store = await openFolder(data);
  const all = await store.loadTests.list().finally(() => store.close());
  return all.find(({ id }) => id === "large")?.requests ?? 0;
}
