/**
 * T9: bodies with a compression ratio over 1000, five of a kind at once (or TACHOGRAPH_BOMBS), are rejected
 * within 512 MB of memory.
 */

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ServerProcess, startServer } from "./server-process.ts";

const AT_ONCE = Number(process.env["TACHOGRAPH_BOMBS"] ?? 5);
const MEMORY_MAX = 512e6;
const SECONDS_MAX = 10;
const ZEROS = Buffer.alloc(100e6);

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  server = await startServer();
  key = await server.makeKey("write");
});
afterAll(() => server.stop());

const BOMBS = [
  ["gzip", gzipSync(ZEROS), 413],
  ["zstd", zstdCompressSync(ZEROS), 413],
  // These two are not decompressed at all: an unsupported encoding, and nested encodings.
  ["br", brotliCompressSync(ZEROS), 415],
  ["gzip, gzip", gzipSync(gzipSync(ZEROS)), 415],
] as const;

async function send(path: string, coding: string, bomb: Uint8Array, sentKey: string) {
  const answer = await fetch(server.url + path, {
    method: "POST",
    headers: { "X-Service-Auth": sentKey, "Content-Encoding": coding },
    body: Uint8Array.from(bomb),
  });
  await answer.text();
  return answer.status;
}

test.each(["/write?db=run", "/Api/LoadTests/run/Batches"])("bombs at %s", async (path) => {
  server.forgetPeak();
  for (const [coding, bomb, status] of BOMBS) {
    const startedAtMs = performance.now();
    const sent = Array.from({ length: AT_ONCE }, () => send(path, coding, bomb, key));
    const statuses = new Set(await Promise.all(sent));
    // A batch is held in memory as a whole, so several at once may also get a 503.
    expect([...statuses].filter((each) => each !== 503)).toEqual([status]);
    const seconds = (performance.now() - startedAtMs) / 1000;
    expect(seconds).toBeLessThan(SECONDS_MAX);
    console.log(`${AT_ONCE} x ${coding} at ${path}: ${seconds} s`);
  }
  console.log(`${path}: at most ${Math.round(server.peakBytes() / 1e6)} MB in all`);
  expect(server.peakBytes()).toBeLessThan(MEMORY_MAX);
});

test("without a key nothing is decompressed", async () => {
  const [[coding, bomb]] = BOMBS;
  expect(await send("/write?db=run", coding, bomb, "tgk_wrong")).toBe(401);
});
