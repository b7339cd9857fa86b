import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { atLeastRate } from "./least-rate.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

const MIN = 10_000;

/** A sender of chunks of this many bytes, one every `everyMs`. */
async function* sender(bytes: number, everyMs: number, chunks: number): AsyncGenerator<Uint8Array> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    yield new Uint8Array(bytes);
  }
}

async function receive(
  chunks: AsyncIterable<Uint8Array>,
  { isAwaited = (): boolean => true, bytesPerSecondMin = MIN, busyMs = 0 } = {},
): Promise<number> {
  let bytes = 0;
  for await (const chunk of atLeastRate(chunks, { bytesPerSecondMin, isAwaited })) {
    bytes += chunk.length;
    if (busyMs > 0) await new Promise((resolve) => setTimeout(resolve, busyMs));
  }
  return bytes;
}

/** Whether the body is received completely, or the error. */
async function outcomeOf(receiving: Promise<number>): Promise<unknown> {
  const outcome = receiving.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  return await outcome;
}

test("a slow sender is disconnected while others wait", async () => {
  expect(await outcomeOf(receive(sender(1, 2000, 20)))).toMatchObject({
    code: "request-timeout",
    message: expect.stringContaining("uploadBytesPerSecondMin"),
  });
});

test("a fast sender that stops has 1.5 seconds", async () => {
  const startedAtMs = performance.now();
  let endedAtMs = 0;
  const receiving = receive(stopping()).catch(() => (endedAtMs = performance.now()));
  await vi.advanceTimersByTimeAsync(5000);
  await receiving;
  expect(endedAtMs - startedAtMs).toBeGreaterThanOrEqual(1500);
  expect(endedAtMs - startedAtMs).toBeLessThanOrEqual(1700);
});

test.each([
  ["nobody waits", sender(1, 2000, 20), { isAwaited: () => false }, 20],
  ["no rate is set", sender(1, 2000, 20), { bytesPerSecondMin: 0 }, 20],
  ["it is just fast enough", sender(MIN / 2, 500, 20), {}, 10 * MIN],
  ["it is us who are slow", sender(1000, 50, 20), { busyMs: 2000 }, 20_000],
])("a sender may continue if %s", async (_, chunks, options, bytes) => {
  expect(await outcomeOf(receive(chunks, options))).toBe(bytes);
});

test("a sender that was slow before is disconnected as soon as somebody waits", async () => {
  const startedAtMs = performance.now();
  const isAwaited = (): boolean => performance.now() - startedAtMs >= 10_000;
  let endedAtMs = 0;
  const receiving = receive(sender(1, 2000, 20), { isAwaited }).catch(() => {
    endedAtMs = performance.now();
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await receiving;
  expect(endedAtMs - startedAtMs).toBeLessThanOrEqual(10_200);
});

async function* stopping(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1_000_000);
  await new Promise(() => undefined);
}
