import { constants, deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  cutInto,
  digestOf,
  MARK,
  readSource,
  skippableFrame,
  textRows,
} from "../../test/support/sources.ts";
import { openSource } from "./open-source.ts";

const TEXT = "metric_name,timestamp,metric_value\nvus,1795232665,1.000000\n";
const LONG = textRows(20_000);

function utf16be(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

/** Returns a gzip member with all optional header fields. */
function gzipWithEverything(text: string): Buffer {
  const member = gzipSync(text);
  const header = Buffer.from([0x1f, 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 3]);
  const optional = Buffer.from("\u0003\u0000abca name\u0000a comment\u0000cc", "latin1");
  return Buffer.concat([header, optional, deflateRawSync(text), member.subarray(-8)]);
}

const UTF16 = Buffer.from(MARK + TEXT, "utf16le");
const half = TEXT.length / 2;
const whole: [what: string, bytes: Buffer, text: string, inflated?: Buffer][] = [
  ["plain bytes", Buffer.from(TEXT), TEXT],
  ["nothing", Buffer.alloc(0), ""],
  ["bytes that are no UTF-8", Buffer.from([0xc3, 0x28, 0xff]), "\uFFFD(\uFFFD"],
  ["a UTF-8 byte order mark", Buffer.from(MARK + TEXT), TEXT],
  ["a byte order mark alone", Buffer.from(MARK), ""],
  ["a second byte order mark as text", Buffer.from(MARK + MARK + TEXT), MARK + TEXT],
  ["UTF-16LE", Buffer.from(`${MARK}é😀${LONG}`, "utf16le"), `é😀${LONG}`],
  ["UTF-16BE", utf16be(`${MARK}é😀${LONG}`), `é😀${LONG}`],
  ["UTF-16 with lone surrogates", utf16be(`${MARK}a\uDC00b\uD800`), "a\uFFFDb\uFFFD"],
  ["gzip", gzipSync(LONG), LONG],
  ["gzip of nothing", gzipSync(""), ""],
  ["gzip stored without compression", gzipSync(LONG, { level: 0 }), LONG],
  ["gzip with all header parts", gzipWithEverything(TEXT), TEXT],
  [
    "gzip of several members, one empty",
    Buffer.concat([gzipSync(TEXT.slice(0, half)), gzipSync(""), gzipSync(TEXT.slice(half))]),
    TEXT,
  ],
  ["gzip padded with zeros", Buffer.concat([gzipSync(TEXT), Buffer.alloc(600)]), TEXT],
  ["gzip of UTF-16", gzipSync(UTF16), TEXT, UTF16],
  ["gzip of a byte order mark", gzipSync(MARK + TEXT), TEXT, Buffer.from(MARK + TEXT)],
  ["zstd", zstdCompressSync(Buffer.from(LONG)), LONG],
  [
    "zstd of several frames",
    Buffer.concat([
      skippableFrame(0),
      zstdCompressSync(Buffer.from(TEXT.slice(0, half))),
      skippableFrame(70_000),
      zstdCompressSync(Buffer.from(TEXT.slice(half))),
      skippableFrame(3),
    ]),
    TEXT,
  ],
];

test.each(whole)("%s gives its text with any chunk size", async (what, bytes, text, inflated) => {
  const utf8MarkBytes = what.includes("byte order mark") ? 3 : 0;
  const plain = inflated ?? (/^(?:gzip|zstd)/.test(what) ? Buffer.from(text) : bytes);
  for (const size of [1, 7, 4096, 1 << 20].filter((each) => bytes.length / each < 5000)) {
    const { text: got, end } = await readSource(bytes, size);
    expect(got === text).toBe(true);
    expect(end).toMatchObject({ sizeBytes: plain.length, digest: digestOf(plain) });
    const { beginnings, truncatedAt, markBytes } = end;
    expect({ beginnings: [...beginnings], truncatedAt, markBytes }).toEqual({
      beginnings: [],
      truncatedAt: undefined,
      markBytes: what.includes("UTF-16") ? undefined : utf8MarkBytes,
    });
  }
});

const refused: [what: string, bytes: Buffer, message: RegExp][] = [
  ["a zip archive", Buffer.from("PK\u0003\u0004 and more"), /zip archive: extract/],
  ["a tar archive", Buffer.concat([Buffer.alloc(257, 97), Buffer.from("ustar\0")]), /tar archive/],
  ["an xz file", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), /xz file: decompress/],
  ["a bzip2 file", Buffer.from("BZh91AY&SY..."), /bzip2 file/],
  ["a 7z archive", Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), /7z archive/],
  ["gzip within gzip", gzipSync(gzipSync(TEXT)), /inside its gzip compression it is gzip/],
  [
    "zstd within gzip",
    gzipSync(zstdCompressSync(Buffer.from(TEXT))),
    /inside its gzip compression it is zstd/,
  ],
  ["gzip within zstd", zstdCompressSync(gzipSync(TEXT)), /inside its zstd compression it is gzip/],
  [
    "tar within gzip",
    gzipSync(`${"a".repeat(257)}ustar`),
    /inside its gzip compression it is a tar/,
  ],
];

test.each(refused)("%s is refused with the fix", async (_what, bytes, message) => {
  await expect(readSource(bytes, 5)).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringMatching(message) as string,
  });
});

test("an upload that inflates too far is refused, by size or by ratio", async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const bySize = { inflatedBytes: 5_000_000, ratio: Infinity };
  const byRatio = { inflatedBytes: Infinity, ratio: 200 };
  await expect(readSource(bomb, 4096, { inflateLimit: bySize })).rejects.toThrow(
    /more than the 5000000/,
  );
  await expect(readSource(bomb, 4096, { inflateLimit: byRatio })).rejects.toThrow(/200 to 1/);
  const small = await readSource(gzipSync(Buffer.alloc(900_000)), 4096, { inflateLimit: byRatio });
  expect(small.text.length).toBe(900_000);
});

test("an upload cannot demand much memory with the window of its zstd frames", async () => {
  const params = { [constants.ZSTD_c_windowLog]: 24, [constants.ZSTD_c_contentSizeFlag]: 0 };
  const wide = zstdCompressSync(Buffer.from(TEXT), { params, finishFlush: constants.ZSTD_e_flush });
  expect((await readSource(wide)).text).toBe(TEXT);
  const limited = readSource(wide, 100, { inflateLimit: { inflatedBytes: 1e6, ratio: 200 } });
  await expect(limited).rejects.toThrow(/zstd .*memory/);
});

test("damage that leaves no text fails when the head is read", async () => {
  const source = openSource(cutInto(gzipSync(TEXT).subarray(0, 10), 4));
  await expect(source.head()).rejects.toMatchObject({
    code: "unreadable-source",
    message:
      "cannot read the source: the gzip stream cannot be read further: it ends before its end mark",
  });
});

test("the head is the first 64 KiB; the bytes after it remain readable", async () => {
  const bytes = gzipSync(LONG);
  const source = openSource(cutInto(bytes, 1000));
  expect(Buffer.from(await source.head())).toEqual(Buffer.from(LONG).subarray(0, 65_536));
  const pieces: Buffer[] = [];
  for await (const piece of source.bytes()) pieces.push(Buffer.from(piece));
  expect(Buffer.concat(pieces).toString() === LONG).toBe(true);
});

test.each([
  ["plain", Buffer.from(LONG)],
  ["gzip", gzipSync(LONG)],
  ["zstd", zstdCompressSync(Buffer.from(LONG))],
])("a consumer that stops early releases the chunks: %s", async (_kind, bytes) => {
  let released = 0;
  let given = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of cutInto(bytes, 2000)) {
        given += 1;
        yield chunk;
      }
    } finally {
      released += 1;
    }
  }
  for await (const piece of openSource(chunks()).bytes()) if (piece.length > 0) break;
  expect(released).toBe(1);
  expect(given * 2000).toBeLessThan(bytes.length / 2 + 40_000);

  const source = openSource(chunks());
  await source.head();
  await source.close();
  expect(released).toBe(2);
});

async function* failing(): AsyncGenerator<Uint8Array> {
  yield gzipSync(LONG).subarray(0, 5000);
  throw new Error("EIO");
}

async function drained(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let sizeBytes = 0;
  for await (const piece of bytes) sizeBytes += piece.length;
  return sizeBytes;
}

test("an error of the chunk source reaches the consumer", async () => {
  const source = openSource(failing());
  await expect(drained(source.bytes())).rejects.toThrow("EIO");
  expect(() => source.end()).toThrow(/BUG/);
});
