import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { sendKeptAnswer } from "./send-answer.ts";

/** A reader, and how many bytes each write to it has. */
function reader(): { readonly response: ServerResponse; readonly writes: number[] } {
  const writes: number[] = [];
  const stream = new Writable({
    write(piece: Uint8Array, _, done) {
      writes.push(piece.length);
      done();
    },
  });
  const response = Object.assign(stream, { writeHead: () => stream }) as unknown as ServerResponse;
  return { response, writes };
}

test("an answer from memory asks no more of a slow reader than one that is made", async () => {
  const request = { method: "GET", headers: {} } as IncomingMessage;
  const { response, writes } = reader();
  const kept = { headers: {}, bytes: new Uint8Array(1_000_000) };
  expect(await sendKeptAnswer(request, response, kept, { stallMs: 60_000 })).toBe("sent");
  expect(writes.reduce((sum, bytes) => sum + bytes, 0)).toBe(1_000_000);
  // Settings in docs/api.md: who takes 64 KB within `stallMs` is not cut off.
  expect(Math.max(...writes)).toBeLessThanOrEqual(64 * 1024);
});
