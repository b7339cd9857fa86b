import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { startScriptedServer } from "../../../../test/support/scripted-clickhouse.ts";
import { Node } from "./node.ts";

const SILENCE_MS_MAX = 2000;
const WORK_MS = 4000;

test("a slow reader does not run into the timeout for silent servers", async () => {
  // Larger than the buffers of both ends, so that the connection stalls.
  const sizeBytes = 64 * 1024 * 1024;
  const server = await startScriptedServer(() => ({ body: Buffer.alloc(sizeBytes) }));
  const node = new Node(server.url, {
    shards: [],
    database: "perf",
    isReplicated: false,
    requestTimeoutMs: SILENCE_MS_MAX,
  });
  try {
    let readBytes = 0;
    for await (const chunk of await node.read("SELECT 1")) {
      if (readBytes === 0) await setTimeout(WORK_MS);
      readBytes += chunk.byteLength;
    }
    expect(readBytes).toBe(sizeBytes);
  } finally {
    node.close();
    await server.close();
  }
});
