import { setImmediate } from "node:timers/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { encodeChunks } from "./through-transform.ts";
import { CODINGS, type Coding } from "../negotiation.ts";

const decoders: Record<Coding, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (bytes) => bytes,
};

/** Chunks from one reused buffer, as the renderers produce them. */
async function* reusedChunks(count: number, taken: { count: number }): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(10_000);
  for (let chunk = 0; chunk < count; chunk++) {
    taken.count = chunk + 1;
    buffer.fill(`chunk ${chunk};`);
    yield buffer.subarray(0, 1 + ((chunk * 7919) % 10_000));
    buffer.fill("x");
  }
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("a");
  throw new Error("read failed");
}

async function plainBytes(count: number): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of reusedChunks(count, { count: 0 })) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

test.each(CODINGS)(
  "%s gives the same bytes back, though every chunk is overwritten",
  async (coding) => {
    const encoded: Buffer[] = [];
    for await (const chunk of encodeChunks(reusedChunks(50, { count: 0 }), coding)) {
      encoded.push(Buffer.from(chunk));
    }
    expect(decoders[coding](Buffer.concat(encoded)).equals(await plainBytes(50))).toBe(true);
  },
);

test.each(CODINGS)("%s takes no more chunks than its reader lets through", async (coding) => {
  const taken = { count: 0 };
  const iterator = encodeChunks(reusedChunks(100_000, taken), coding)[Symbol.asyncIterator]();
  await iterator.next();
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  expect(taken.count).toBeLessThan(5000);
  await iterator.return?.();
});

test.each(CODINGS)("%s throws the error of its chunks", async (coding) => {
  const reading = (async () => {
    for await (const chunk of encodeChunks(failing(), coding)) expect(chunk).toBeDefined();
  })();
  await expect(reading).rejects.toThrow("read failed");
});

test.each(CODINGS)("%s ends its chunks when its reader stops", async (coding) => {
  let ended = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(100_000, Math.random().toString());
    } finally {
      ended = true;
    }
  }
  for await (const chunk of encodeChunks(chunks(), coding)) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  expect(ended).toBe(true);
});
