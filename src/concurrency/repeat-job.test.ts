import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { repeatJob } from "./repeat-job.ts";

test("runs at once, then repeatedly, never concurrently, and continues after a failure", async () => {
  const failures: unknown[] = [];
  const runs: PromiseWithResolvers<void>[] = [];
  const repeated: { readonly run: () => void; readonly everyMs: number }[] = [];
  const job = repeatJob({
    run() {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    everyMs: 5,
    repeat(run, everyMs) {
      repeated.push({ run, everyMs });
      return () => void repeated.push({ run, everyMs: 0 });
    },
    failed: (error) => void failures.push(error),
  });
  const tick = (): void => repeated[0]?.run();
  expect([runs.length, repeated[0]?.everyMs]).toEqual([1, 5]);
  tick();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await setImmediate();
  tick();
  runs[1]?.reject(new Error("disk"));
  await setImmediate();
  expect(failures).toEqual([new Error("disk")]);
  tick();
  let isStopped = false;
  const stopped = job.stop().then(() => void (isStopped = true));
  await setImmediate();
  expect([runs.length, isStopped, repeated.length]).toEqual([3, false, 2]);
  runs[2]?.resolve();
  await stopped;
  expect(failures).toHaveLength(1);
});
