/**
 * T9: bodies with a compression ratio over 1000, five of a kind at once (or TACHOGRAPH_BOMBS), are rejected
 * within 512 MB of memory.
 */

import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerTo, beginCall, call, connectGrpc, framed, TRACES } from "../support/grpc-client.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

const AT_ONCE = Number(process.env["TACHOGRAPH_BOMBS"] ?? 5);
const MEMORY_MAX = 512e6;
const SECONDS_MAX = 10;
const ZEROS = Buffer.alloc(100e6);

let server: ServerProcess;
let key = "";

beforeAll(async () => {
  server = await startServer("--otlp-grpc-port", "0");
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

test.each([
  ["gzip", gzipSync(ZEROS), 8],
  ["zstd", zstdCompressSync(ZEROS), 8],
  ["br", brotliCompressSync(ZEROS), 12],
] as const)("bombs over gRPC: %s", async (coding, bomb, code) => {
  const session = await connectGrpc(server.grpcAddress);
  server.forgetPeak();
  const metadata = { "x-service-auth": key, "x-load-test": "run", "grpc-encoding": coding };
  const sent = Array.from({ length: AT_ONCE }, () =>
    call(session, TRACES, framed(bomb, 1), metadata),
  );
  const codes = (await Promise.all(sent)).map((answer) => answer.code);
  session.destroy();
  // Held as a whole, so several at once may also be told to come again.
  expect(new Set(codes.filter((each) => each !== 14))).toEqual(new Set([code]));
  expect(server.peakBytes()).toBeLessThan(MEMORY_MAX);
});

test("two thousand calls over gRPC that send the most and never end", async () => {
  server.forgetPeak();
  const sessions = await Promise.all(
    // The client holds what it may not send yet.
    Array.from({ length: 20 }, () => connectGrpc(server.grpcAddress, { maxSessionMemory: 2000 })),
  );
  const metadata = { "x-service-auth": key, "x-load-test": "run" };
  const message = framed(Buffer.alloc(8 * 1024 * 1024));
  const answers = sessions.flatMap((session) =>
    Array.from({ length: 100 }, () => {
      const stream = beginCall(session, TRACES, metadata);
      stream.write(message.subarray(0, -1));
      return answerTo(stream);
    }),
  );
  // Few fit into what may be held; the others are told to come again.
  const first = await Promise.race(answers);
  expect(first).toMatchObject({ code: 14, message: expect.stringContaining("heldBytesMax") });
  const other = await connectGrpc(server.grpcAddress);
  const startedAtMs = performance.now();
  await call(other, TRACES, framed(Buffer.of()), metadata);
  expect(performance.now() - startedAtMs).toBeLessThan(SECONDS_MAX * 1000);
  console.log(`2,000 endless calls: at most ${Math.round(server.peakBytes() / 1e6)} MB in all`);
  for (const session of [...sessions, other]) session.destroy();
  await Promise.all(answers);
  expect(server.peakBytes()).toBeLessThan(MEMORY_MAX);
});
