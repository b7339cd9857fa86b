import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LargeResponses } from "./large-responses.ts";
import { sendCachedResponse } from "./send-cached.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A reader that takes 256 KB in so long. */
function reader(msFor256Kb: number): ServerResponse {
  const stream = new Writable({
    write(chunk: Uint8Array, _, done) {
      setTimeout(done, (chunk.length / 262_144) * msFor256Kb);
    },
  });
  return Object.assign(stream, { writeHead: () => stream }) as unknown as ServerResponse;
}

// Settings in docs/api.md: who takes 256 KB within `stallMs` is not cut off, and nobody else stays longer.
test.each([
  [29_000, "sent"],
  [31_000, "stalled"],
])("a reader of an answer from memory that takes 256 KB in %d ms: %s", async (ms, outcome) => {
  const request = { method: "GET", headers: {} } as IncomingMessage;
  const kept = { headers: {}, bytes: new Uint8Array(2 ** 20), readers: 0 };
  const sending = sendCachedResponse(request, reader(ms), kept, {
    largeResponses: new LargeResponses(1),
    reader: "key reader",
    stallMs: 30_000,
  });
  await vi.advanceTimersByTimeAsync(outcome === "stalled" ? 30_001 : 4 * 30_000);
  expect(await sending).toBe(outcome);
});

test("an answer whose connection was lost while it waited for its turn ends", async () => {
  const gone = new Writable({ destroy: () => undefined });
  gone.destroy();
  const response = Object.assign(gone, { writeHead: () => gone }) as unknown as ServerResponse;
  const request = { method: "GET", headers: {} } as IncomingMessage;
  const kept = { headers: {}, bytes: new Uint8Array(100), readers: 0 };
  const sending = sendCachedResponse(request, response, kept, {
    largeResponses: new LargeResponses(1),
    reader: "key reader",
    stallMs: 30_000,
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await sending, kept.readers]).toEqual(["aborted", 0]);
});
