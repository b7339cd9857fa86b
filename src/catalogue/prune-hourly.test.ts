import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { pruneHourly } from "./prune-hourly.ts";
import type { PrunedLoadTest } from "./prune-load-tests.ts";

test("it prunes at once, then every hour, never twice at once, and goes on after a failure", async () => {
  const went: PrunedLoadTest[] = [];
  const failures: unknown[] = [];
  const runs: PromiseWithResolvers<readonly PrunedLoadTest[]>[] = [];
  const one = { reason: "age" } as PrunedLoadTest;
  const repeated: { readonly run: () => void; readonly everyMs: number }[] = [];
  const pruning = pruneHourly({
    async *prune() {
      const run = Promise.withResolvers<readonly PrunedLoadTest[]>();
      runs.push(run);
      yield* await run.promise;
    },
    repeat(run, everyMs) {
      repeated.push({ run, everyMs });
      return () => void repeated.push({ run, everyMs: 0 });
    },
    pruned: (each) => void went.push(each),
    failed: (error) => void failures.push(error),
  });
  const tick = (): void => repeated[0]?.run();
  expect([runs.length, repeated[0]?.everyMs]).toEqual([1, 3_600_000]);
  tick();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve([one, one]);
  await setImmediate();
  expect(went).toEqual([one, one]);
  tick();
  runs[1]?.reject(new Error("disk"));
  await setImmediate();
  expect(failures).toEqual([new Error("disk")]);
  tick();
  let isStopped = false;
  const stopped = pruning.stop().then(() => void (isStopped = true));
  await setImmediate();
  expect([isStopped, repeated.length]).toEqual([false, 2]);
  runs[2]?.resolve([]);
  await stopped;
  expect(went).toHaveLength(2);
});
