import { spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { afterSilence } from "./guarded-writes.ts";

/** Blocks the process for this long, as if it were stopped. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("data that arrived while the process was paused is read before its sender is disconnected", async () => {
  const sender = spawn("sh", ["-c", "echo first; read line; echo second; read line"]);
  await once(sender.stdout, "data");
  let isGivenUp = false;
  const cancel = afterSilence(20, () => (isGivenUp = true));
  const heard = once(sender.stdout, "data").then(cancel);
  sender.stdin.write("go on\n");
  standStill(150);
  await heard;
  await setImmediate();
  sender.stdin.end();
  expect(isGivenUp).toBe(false);
});

test("a silent sender is disconnected, and not too early", async () => {
  const startedAtMs = performance.now();
  await new Promise<void>((resolve) => void afterSilence(20, resolve));
  expect(performance.now() - startedAtMs).toBeGreaterThan(18);
});
