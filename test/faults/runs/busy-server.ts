import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { batchesIn } from "../around/batches-in.ts";
import { LiveSenders } from "../around/live-senders.ts";
import { IN_ALL_LABELS, resultFile, upload } from "../around/result-file.ts";
import { quantileOf } from "../around/server-figures.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const ROWS = 400_000;
const READERS = 4;
const ROUND_MS = 5000;
const ASKED_EACH_MS = 20;
const HEALTH_MS_P99_MAX = 100;

/** A round is five seconds. */
export const busyServer: Fault = {
  id: "C28",
  title:
    "Four readers get large answers that nobody had before while four senders send: the server says within 100 ms that it is well.",
  rounds: { fast: 0, nightly: 12, release: 24 },

  async run({ rounds, folder, log }: FaultContext): Promise<FaultFigures> {
    const file = await resultFile(folder, ROWS);
    // No cache: each response is computed again.
    await using server = await ServedStore.startIn(folder, ["--response-cache-bytes-max", "0"]);
    assert.equal(await upload(server, file, "large"), 201);
    await server.createLoadTest("live");
    const senders = new LiveSenders({ port: server.port, key: server.key, loadTestId: "live" });
    let isOver = false;
    const reading = Array.from({ length: READERS }, () => readWhile(server, () => !isOver));
    const tookMs: number[] = [];
    const untilMs = performance.now() + rounds * ROUND_MS;
    while (performance.now() < untilMs) {
      const askedAtMs = performance.now();
      await server.text("/health/live");
      tookMs.push(performance.now() - askedAtMs);
      await setTimeout(ASKED_EACH_MS);
    }
    isOver = true;
    const answers = await Promise.all(reading);
    await senders.stop();
    assert.deepEqual(await batchesIn(server, "live"), senders.acknowledged);
    const p99Ms = quantileOf(tookMs, 0.99);
    log(`${tookMs.length} times asked, p99 ${Math.round(p99Ms)} ms`);
    assert.ok(p99Ms <= HEALTH_MS_P99_MAX, `one in a hundred waits ${Math.round(p99Ms)} ms or more`);
    return {
      "times asked": tookMs.length,
      "large answers": answers.reduce((sum, { count }) => sum + count, 0),
      "MB each": Math.round((answers[0]?.bytes ?? 0) / 1e6),
      "p50 in ms": Math.round(quantileOf(tookMs, 0.5)),
      "p99 in ms": Math.round(p99Ms),
      "longest in ms": Math.round(Math.max(...tookMs)),
    };
  },
};

async function readWhile(
  server: ServedStore,
  goesOn: () => boolean,
): Promise<{ readonly count: number; readonly bytes: number }> {
  let [count, bytes] = [0, 0];
  while (goesOn()) {
    const query = `loadTestId=large&filter=${IN_ALL_LABELS}&format=csv`;
    const answer = await server.fetch(`/Api/Metrics?${query}`);
    assert.equal(answer.status, 200);
    bytes = (await answer.arrayBuffer()).byteLength;
    count += 1;
  }
  return { count, bytes };
}
