import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "./check-file.ts";
import { unpack } from "../independent/unpack.mjs";
import { readFixture } from "./fixtures.ts";
import { importAndRead } from "./import-and-read.ts";

/** Encodings and compressions of the same text. */
const ENCODINGS: Record<string, (text: string) => Uint8Array> = {
  gzip: (text) => gzipSync(text),
  "two gzip members": (text) =>
    Buffer.concat([gzipSync(text.slice(0, 5000)), gzipSync(text.slice(5000))]),
  zstd: (text) => zstdCompressSync(text),
  "a byte order mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16, little end first": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16, big end first": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "UTF-16 in gzip": (text) => gzipSync(Buffer.from(`\ufeff${text}`, "utf16le")),
};

describe.each([
  "jmeter-csv/gen-jmeter-5.6.3-killed.jtl",
  "jmeter-xml/gen-jmeter-5.6.3-killed.jtl",
  "k6-csv/gen-k6-1.8.1-unix_nano.csv",
  "k6-json/gen-k6-1.8.1-gz.json.gz",
])("%s", (file) => {
  const bytes = readFixture(file);
  const text = unpack(bytes).text;
  const reading = readResults(bytes);

  test.each(Object.entries(ENCODINGS))("reads the same as %s", async (_name, encode) => {
    const imported = await importAndRead(encode(text));
    expect(readingDifferences(imported, reading)).toEqual([]);
  });
});
