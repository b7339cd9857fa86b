import { randomFillSync } from "node:crypto";
import { Readable } from "node:stream";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeChunks } from "./decode-chunks.ts";

type Coding = "gzip" | "zstd";

const ENCODERS = { gzip: gzipSync, zstd: zstdCompressSync };

const BODY = randomFillSync(Buffer.alloc(200_000));

async function decoded(bytes: Uint8Array, coding: Coding): Promise<Buffer> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
  }
  const copies: Uint8Array[] = [];
  for await (const chunk of decodeChunks(chunks(), coding)) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

test.each<Coding>(["gzip", "zstd"])("%s is decoded", async (coding) => {
  expect((await decoded(ENCODERS[coding](BODY), coding)).equals(BODY)).toBe(true);
});

test.each<Coding>(["gzip", "zstd"])("pieces of %s can be freed at once", async (coding) => {
  const given = new Uint8Array(ENCODERS[coding](BODY));
  for await (const made of decodeChunks(Readable.from([given]), coding)) {
    expect(made.buffer.byteLength).toBe(128 * 1024);
  }
  expect(given.buffer.detached).toBe(true);
});

test("consecutive gzip streams are decoded as one", async () => {
  const encoded = gzipSync(BODY);
  const twice = await decoded(Buffer.concat([encoded, encoded]), "gzip");
  expect(twice.equals(Buffer.concat([BODY, BODY]))).toBe(true);
});

test("zstd data after the first frame is rejected, not dropped", async () => {
  const encoded = zstdCompressSync(BODY);
  for (const more of [encoded, Buffer.from("something else")]) {
    const refused = decoded(Buffer.concat([encoded, more]), "zstd");
    await expect(refused).rejects.toMatchObject({ code: "bad-body" });
  }
});

test.each<Coding>(["gzip", "zstd"])("truncated %s is rejected", async (coding) => {
  const encoded = ENCODERS[coding](BODY);
  const refused = { code: "bad-body" };
  for (const cut of [1, 4, 9, 100_000, encoded.length - 1, encoded.length]) {
    const start = encoded.subarray(0, encoded.length - cut);
    await expect(decoded(start, coding)).rejects.toMatchObject(refused);
  }
});

test("a large zstd window is rejected", async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
  const encoded = zstdCompressSync(Buffer.alloc(20_000_000), { params });
  await expect(decoded(encoded, "zstd")).rejects.toMatchObject({ code: "bad-body" });
});
