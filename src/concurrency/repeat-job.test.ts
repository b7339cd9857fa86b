import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeatJob } from "./repeat-job.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("runs at once, then repeatedly, never concurrently, and continues after a failure", async () => {
  const failures: unknown[] = [];
  const runs: PromiseWithResolvers<void>[] = [];
  const job = repeatJob({
    run() {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    everyMs: 5,
    failed: (error) => void failures.push(error),
  });
  expect(runs).toHaveLength(1);
  vi.advanceTimersByTime(5);
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await setImmediate();
  vi.advanceTimersByTime(4);
  expect(runs).toHaveLength(1);
  vi.advanceTimersByTime(1);
  runs[1]?.reject(new Error("disk"));
  await setImmediate();
  expect(failures).toEqual([new Error("disk")]);
  vi.advanceTimersByTime(5);
  let isStopped = false;
  const stopped = job.stop().then(() => void (isStopped = true));
  await setImmediate();
  expect([runs.length, isStopped, vi.getTimerCount()]).toEqual([3, false, 0]);
  runs[2]?.resolve();
  await stopped;
  expect(failures).toHaveLength(1);
});
