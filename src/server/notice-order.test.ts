import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { openNotices, startJudging } from "./start-judging.ts";
import { startRunningJudge } from "./start-running-judge.ts";

const ignore = (): void => undefined;
const ABOUT = { log: { info: ignore, warn: ignore, error: ignore }, now: Date.now };

test("a notice that a run failed comes after those sent while it ran", async () => {
  const received: string[] = [];
  const refused = Promise.withResolvers<void>();
  const all = Promise.withResolvers<void>();
  const receiver = createServer(async (request, response) => {
    const { event } = JSON.parse(await text(request)) as { event: string };
    const isRefused = !received.includes("refused");
    received.push(isRefused ? "refused" : event);
    response.writeHead(isRefused ? 503 : 204).end();
    refused.resolve();
    if (received.length === 3) all.resolve();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void receiver.close());
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;

  const store = openMemoryStore();
  const until = Math.floor(Date.now() / 1000) - 10;
  const samples = Array.from({ length: 60 }, (_, at) => sample("GET /", until - at));
  await store.loadTests.create({ ...loadTest("run"), name: "shop" });
  await store.thresholds.keep(
    "shop",
    JSON.stringify({ thresholds: [{ failIf: ["throughput < 100/s over 10s"] }] }),
  );
  await store.points.append({ ...batchOf(samples), loadTestId: "run" });
  const settings = { targets: [], secret: undefined, publicUrl: undefined, tellsRecovery: true };
  const url = new URL(`http://127.0.0.1:${port}/hook`);
  const notices = openNotices(settings, [{ form: "json", url }], ABOUT.log);
  const running = startRunningJudge(store, notices, ABOUT);
  await refused.promise;
  await store.loadTests.update("run", { finishedAtMs: Date.now() });
  const judging = startJudging(store, notices, ABOUT);
  await all.promise;
  await Promise.all([running.stop(), judging.stop()]);
  expect(received).toEqual(["refused", "thresholds-broken", "thresholds-failed"]);
});
