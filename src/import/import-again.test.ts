/** Repeated imports of a file: with another compression, or in an earlier state. */

import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { FIRST, HEADER, importInto, SECOND, seen } from "../../test/support/imports.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";

test.each([
  ["plain, then gzip", HEADER + FIRST, gzipSync(HEADER + FIRST)],
  ["zstd, then plain", zstdCompressSync(Buffer.from(HEADER + FIRST)), HEADER + FIRST],
  ["gzip, then gzip otherwise", gzipSync(HEADER + FIRST), gzipSync(HEADER + FIRST, { level: 0 })],
])("the same content under another compression changes nothing: %s", async (_, one, other) => {
  const store = openMemoryStore();
  await importInto(store, one);
  expect(await importInto(store, other)).toMatchObject({ alreadyImported: true });
  expect(await store.loadTests.find("run")).toMatchObject({ requests: 2 });
  expect(await store.points.sources("run")).toHaveLength(1);
});

const WHOLE = HEADER + FIRST + SECOND;
const GZIPPED = gzipSync(WHOLE.repeat(3), { level: 0 });

test.each([
  ["two rows", WHOLE, HEADER + FIRST],
  ["one row", WHOLE, HEADER + FIRST.slice(0, FIRST.indexOf("\n") + 1)],
  ["two rows and a part of the third", WHOLE, WHOLE.slice(0, -60)],
  ["two rows, compressed", WHOLE, gzipSync(HEADER + FIRST)],
  ["a truncated gzip", GZIPPED, GZIPPED.subarray(0, 200)],
])(
  "importing an earlier state after a later one changes nothing: %s",
  async (_, later, earlier) => {
    const store = openMemoryStore();
    await importInto(store, later);
    const before = await seen(store);
    const report = await importInto(store, earlier);
    expect(report.alreadyImported).toBe(true);
    expect(report.notes).toContain(
      'an earlier state of "a.jtl", which is in the load test already',
    );
    expect(await seen(store)).toEqual(before);
    expect(await store.points.sources("run")).toHaveLength(1);
  },
);

test("the complete gzip replaces a truncated one", async () => {
  const store = openMemoryStore();
  const whole = gzipSync(WHOLE, { level: 0 });
  await importInto(store, whole.subarray(0, 90));
  expect(await importInto(store, whole)).toMatchObject({ alreadyImported: false });
  expect(await store.loadTests.find("run")).toMatchObject({ requests: 4 });
  expect(await store.points.sources("run")).toHaveLength(1);
});

const HEY =
  "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n";

const START = { startedAtMs: 1_700_000_000_000 };

test("a last row without a line end is compared if the file has a row before it", async () => {
  const later = `${HEY}0.0123,0.0010,0.0005,0.0001,0.0110,0.0002,200,0.0012\n0.2000,0.0010,0.0005,0.0001,0.1990,0.0002,200,0.2500\n`;
  const row = "0.5000,0.0010,0.0005,0.0001,0.4990,0.0002,200,0.1012";
  const store = openMemoryStore();
  await importInto(store, later, START);
  // Only the header is the same, so it is another file.
  expect(await importInto(store, HEY + row, START)).toMatchObject({
    samples: { recorded: 1 },
    alreadyImported: false,
  });
  expect(await importInto(store, later.slice(0, -1), START)).toMatchObject({
    alreadyImported: true,
  });
  expect(await store.loadTests.find("run")).toMatchObject({ requests: 3 });
});
