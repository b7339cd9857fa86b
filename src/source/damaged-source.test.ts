import { constants, gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  MARK,
  digestOf,
  readSource,
  skippableFrame,
  textRows,
} from "../../test/support/sources.ts";
import { randomCases } from "../../test/support/random-cases.ts";

const TEXT = "metric_name,timestamp,metric_value\nvus,1795232665,1.000000\n";
const LONG = textRows(20_000);

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 0xff;
  return copy;
}

const gzipped = gzipSync(TEXT);
const zstd = zstdCompressSync(Buffer.from(TEXT), {
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
});

const broken: [what: string, bytes: Buffer, text: string, reason: RegExp][] = [
  ["gzip cut in its header", gzipped.subarray(0, 9), "", /gzip .*header/],
  ["gzip cut behind its header", gzipped.subarray(0, 10), "", /gzip .*ends before its end mark/],
  ["gzip cut in its checksum", gzipped.subarray(0, -3), TEXT, /ends within its checksum/],
  [
    "gzip with text behind it",
    Buffer.concat([gzipped, Buffer.alloc(5), Buffer.from("more")]),
    TEXT,
    /bytes that are not gzip follow/,
  ],
  [
    "gzip with a damaged second member",
    Buffer.concat([gzipped, flipped(gzipped, 2)]),
    TEXT,
    /member 2 has a damaged header/,
  ],
  ["zstd cut", Buffer.concat([zstd, zstd.subarray(0, 5)]), TEXT, /zstd .*ends before its end/],
  ["zstd with text behind it", Buffer.concat([zstd, Buffer.from("more")]), TEXT, /not zstd follow/],
  [
    "zstd cut in a skipped frame",
    Buffer.concat([zstd, skippableFrame(9).subarray(0, 12)]),
    TEXT,
    /skip/,
  ],
  [
    "UTF-16 with an odd last byte",
    Buffer.concat([Buffer.from(MARK + TEXT, "utf16le"), Buffer.from([0x61])]),
    TEXT,
    /middle of a character/,
  ],
];

test.each(broken)(
  "%s gives its readable part and the position of the damage",
  async (what, bytes, text, reason) => {
    for (const size of [1, 13, 65_536]) {
      const { text: got, end } = await readSource(bytes, size);
      expect(got).toBe(text);
      expect(end.truncatedAt).toEqual({
        line: text.split("\n").length,
        byte: text.length,
        reason: expect.stringMatching(reason) as string,
      });
      expect(end.digest).toBe(digestOf(what.startsWith("UTF-16") ? bytes : Buffer.from(text)));
    }
  },
);

const refused: [what: string, bytes: Buffer, reason: RegExp][] = [
  ["gzip with a wrong checksum", flipped(gzipped, gzipped.length - 7), /checksum does not match/],
  ["gzip with a wrong length", flipped(gzipped, gzipped.length - 1), /length does not match/],
  [
    "gzip with a wrong second member",
    Buffer.concat([gzipped, flipped(gzipped, gzipped.length - 7)]),
    /checksum/,
  ],
  ["gzip with a wrong block", flipped(gzipped, 10), /gzip stream cannot be decompressed/],
  [
    "zstd with a wrong checksum",
    Buffer.concat([zstd, flipped(zstd, zstd.length - 1)]),
    /zstd stream cannot be decompressed/,
  ],
];

test.each(refused)("%s is refused", async (_what, bytes, reason) => {
  for (const size of [1, 13, 65_536]) {
    await expect(readSource(bytes, size)).rejects.toMatchObject({
      code: "unreadable-source",
      message: expect.stringMatching(reason) as string,
    });
  }
});

const streams = { gzip: gzipSync(LONG), zstd: zstdCompressSync(Buffer.from(LONG)) };

test("gzip cut anywhere gives all that can be inflated, with any chunk size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 18, max: streams.gzip.length - 1 }), async (at) => {
      const truncated = streams.gzip.subarray(0, at);
      const inflated = gunzipSync(truncated, { finishFlush: constants.Z_SYNC_FLUSH });
      const { text, end } = await readSource(truncated, 50_000);
      expect(text === inflated.toString()).toBe(true);
      expect(end.truncatedAt?.byte).toBe(inflated.length);
      expect(await readSource(truncated, 1000)).toEqual({ text, end });
    }),
    { numRuns: randomCases(50) },
  );
});

test("zstd cut anywhere gives a beginning of its text, with any chunk size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 4, max: streams.zstd.length - 1 }), async (at) => {
      const truncated = streams.zstd.subarray(0, at);
      const { text, end } = await readSource(truncated, 50_000);
      expect(LONG.startsWith(text.replace(/\uFFFD$/, ""))).toBe(true);
      expect(end.truncatedAt).toBeDefined();
      expect(await readSource(truncated, 1000)).toEqual({ text, end });
    }),
    { numRuns: randomCases(30) },
  );
});

test("a compressed source damaged anywhere is read completely or refused, with any chunk size", async () => {
  const kind = fc.constantFrom("gzip" as const, "zstd" as const);
  await fc.assert(
    fc.asyncProperty(kind, fc.nat(1_000_000), async (name, where) => {
      const stream = streams[name];
      const damaged = flipped(stream, 4 + (where % (stream.length - 4)));
      const [inSmall, inLarge] = await Promise.all(
        [999, 70_000].map((size) => outcome(damaged, size)),
      );
      expect(inSmall).toEqual(inLarge);
    }),
    { numRuns: randomCases(50) },
  );
});

async function outcome(bytes: Uint8Array, size: number): Promise<unknown> {
  return readSource(bytes, size).catch((error: unknown) => error);
}
