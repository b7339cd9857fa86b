import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FIRST, HEADER, importInto, inChunks, SECOND, seen } from "../../test/support/imports.ts";
import { digestOf } from "../../test/support/sources.ts";
import { jmeterCsv } from "../decode/jmeter/jmeter-csv.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { openSource } from "../source/open-source.ts";
import { type DecodeFile, decodePoints } from "./decode-points.ts";
import { importResults } from "./import-results.ts";

test("a file becomes a load test, and the report counts every row", async () => {
  const store = openMemoryStore();
  const report = await importInto(store, `${HEADER}${FIRST}nonsense\n${SECOND}`);
  expect(report).toMatchObject({
    loadTestId: "run",
    format: "jmeter-csv",
    source: "a.jtl",
    samples: { read: 5, recorded: 4, rejected: 1 },
    endpoints: 2,
    from: 1_700_000_000,
    until: 1_700_000_001,
    rejections: [{ line: 4, byte: HEADER.length + FIRST.length }],
    truncatedAt: undefined,
    alreadyImported: false,
  });
  expect(await seen(store)).toEqual({
    "cart 1700000000": "1 requests, 0 failed",
    "cart 1700000001": "2 requests, 1 failed",
    "pay 1700000001": "1 requests, 0 failed",
  });
  expect(await store.loadTests.find("run")).toMatchObject({
    id: "run",
    name: "Run",
    createdAtMs: 1_800_000_000_000,
  });
});

function row(label: Buffer): Buffer {
  return Buffer.concat([Buffer.from("1700000000000,100,"), label, Buffer.from(",true,10\n")]);
}

test("a file in another encoding is transcoded", async () => {
  const store = openMemoryStore();
  // "Вход" and "商" as iconv writes them in windows-1251 and GBK.
  const [entrance, goods] = [Buffer.from("c2f5eee4", "hex"), Buffer.from("c9cc", "hex")];
  const head = Buffer.from(HEADER);
  const broken = Buffer.from("nonsense\n");
  const report = await importInto(store, Buffer.concat([head, row(entrance), broken]), {
    encoding: "windows-1251",
  });
  expect(report.notes).toEqual([
    "the source is not UTF-8: byte positions are those in its text as UTF-8",
  ]);
  await importInto(store, Buffer.concat([head, row(goods)]), { encoding: "gbk" });
  const marked = Buffer.concat([Buffer.from("\u{feff}"), head, row(Buffer.from("é"))]);
  await importInto(store, marked, { encoding: "gbk" });
  expect(Object.keys(await seen(store))).toEqual([
    "é 1700000000",
    "Вход 1700000000",
    "商 1700000000",
  ]);
});

test("times of a form of one's choice are read in JMeter's CSV, and nowhere else", async () => {
  const rows = `${HEADER}21/11/2026 03:43:30,1,home,true,10\n`;
  const timestampFormat = "dd/MM/yyyy HH:mm:ss";
  const store = openMemoryStore();
  const report = await importInto(store, rows, { timestampFormat });
  expect(report.notes).toEqual(["timeStamp has no zone: read as UTC"]);
  expect(await seen(store)).toEqual({ "home 1795232610": "1 requests, 0 failed" });
  await expect(importInto(openMemoryStore(), rows)).rejects.toThrow("a month from 1 to 12");
  const hey =
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n0.1,0,0,0,0,0,200,1\n";
  const other = await importInto(openMemoryStore(), hey, { timestampFormat, startedAtMs: 1000 });
  expect(other.notes).toContain(
    "the timestamp format was not used: only that of JMeter CSV can be chosen",
  );
});

test("the same bytes again change nothing, not even the revision", async () => {
  const store = openMemoryStore();
  await importInto(store, HEADER + FIRST);
  const before = await store.points.snapshot("run");
  expect(await importInto(store, HEADER + FIRST)).toMatchObject({
    alreadyImported: true,
    samples: { read: 2, recorded: 2, rejected: 0 },
  });
  expect((await store.points.snapshot("run"))?.revision).toBe(before?.revision);
});

test("other files of the same load test are merged into it", async () => {
  const store = openMemoryStore();
  await importInto(store, HEADER + FIRST);
  await importInto(store, HEADER + SECOND);
  expect(await seen(store)).toMatchObject({ "cart 1700000001": "2 requests, 1 failed" });
});

test("a file that grew replaces its earlier state", async () => {
  const store = openMemoryStore();
  const grown = `${HEADER}${FIRST}${SECOND}`;
  await importInto(store, grown);
  await importInto(store, `${grown}1700000009000,1,late,true,1\n`);
  expect(await seen(store)).toEqual({
    "cart 1700000000": "1 requests, 0 failed",
    "cart 1700000001": "2 requests, 1 failed",
    "late 1700000009": "1 requests, 0 failed",
    "pay 1700000001": "1 requests, 0 failed",
  });
  expect(await store.points.sources("run")).toHaveLength(1);
});

test("a state cut inside a row is replaced when the row is complete", async () => {
  const store = openMemoryStore();
  const early = await importInto(store, `${HEADER}${FIRST}17000`);
  expect(early.truncatedAt?.byte).toBe(HEADER.length + FIRST.length);
  await importInto(store, `${HEADER}${FIRST}1700000005000,1,cart,true,1\n`);
  expect(Object.keys(await seen(store))).toHaveLength(3);
  expect(await store.points.sources("run")).toHaveLength(1);
});

test("a truncated compressed file is loaded up to the cut, and the cut is reported", async () => {
  const store = openMemoryStore();
  const whole = gzipSync(HEADER + FIRST.repeat(500));
  const report = await importInto(store, whole.subarray(0, whole.length - 20));
  expect(report.truncatedAt?.reason).toContain("gzip");
  expect(report.samples.recorded).toBeGreaterThan(0);
});

test.each([
  ["plain", "\uFEFF", "utf8", 3, []],
  ["UTF-16", "\uFEFF", "utf16le", 0, [expect.stringContaining("is not UTF-8: byte positions")]],
  ["without a mark", "", "utf8", 0, []],
] as const)(
  "positions count from the first byte of a source: %s",
  async (...[, mark, coding, at, notes]) => {
    const rows = `${HEADER}1700000000000,1,cart,?,1\n${FIRST}17000`;
    const plain = Buffer.from(mark + rows, coding);
    for (const content of [plain, gzipSync(plain)]) {
      const report = await importInto(openMemoryStore(), content);
      expect(report.rejections).toMatchObject([{ line: 2, byte: at + HEADER.length }]);
      expect(report.truncatedAt).toMatchObject({ line: 5, byte: at + rows.length - 5 });
      expect(report.notes).toEqual(notes);
    }
  },
);

test("two sessions in one source are reported", async () => {
  // Calculated by hand: 936,400 s are 260.1 h.
  const late = "1700936401000,7,cart,true,1\n";
  const { notes } = await importInto(openMemoryStore(), `${HEADER}${late}${FIRST}`);
  expect(notes).toEqual([
    "the source holds 2 sessions: no request started for 260 h after 2023-11-14T22:13:21Z; " +
      "import it with --split-gap 1h to make a load test of each",
  ]);
});

test("a file that is not a result file leaves nothing behind", async () => {
  const store = openMemoryStore();
  await expect(importInto(store, "<html>")).rejects.toMatchObject({ code: "unreadable-source" });
  await expect(importInto(store, HEADER, { format: "nope" })).rejects.toMatchObject({
    code: "bad-parameter",
  });
  expect(await store.loadTests.list()).toEqual([]);
});

test("an interrupted import leaves nothing behind and restarts from the beginning", async () => {
  const store = openMemoryStore();
  await expect(importInto(store, "", { chunks: interrupted() })).rejects.toThrow("plug");
  expect(await store.loadTests.list()).toEqual([]);
  await importInto(store, HEADER + FIRST);
  await expect(importInto(store, "", { chunks: interrupted() })).rejects.toThrow("plug");
  expect(Object.keys(await seen(store))).toHaveLength(2);
});

test("a failing import does not remove what a concurrent one imported", async () => {
  const store = openMemoryStore();
  async function* overtaken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(200_000, `${HEADER}${FIRST}`);
    await importInto(store, HEADER + SECOND);
    throw new Error("interrupted");
  }
  await expect(importInto(store, "", { chunks: overtaken() })).rejects.toThrow("interrupted");
  expect(Object.keys(await seen(store))).toEqual(["cart 1700000001", "pay 1700000001"]);
});

test.each([
  [HEADER, "empty-source", "the source has no rows"],
  [
    `${HEADER}oops\noops\n`,
    "unreadable-source",
    "cannot read any of 2 rows, the first in line 2, byte 38: ",
  ],
  [
    `${HEADER}17000`,
    "unreadable-source",
    "cannot read any of 1 rows, the first in line 2, byte 38: ",
  ],
])("a file of which nothing can be read creates nothing: %j", async (content, code, message) => {
  const store = openMemoryStore();
  await expect(importInto(store, content)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message) as unknown,
  });
  expect(await store.loadTests.list()).toEqual([]);
});

test("a result without rows creates a load test without points if that is allowed", async () => {
  const store = openMemoryStore();
  expect(await importInto(store, HEADER, { isEmptyAllowed: true })).toMatchObject({
    samples: { read: 0, recorded: 0, rejected: 0 },
    from: undefined,
    until: undefined,
  });
  expect(await seen(store)).toEqual({});
});

/** Returns a store that calls `happen` before the first write of the given kind. */
function interfering(store: Store, kind: "append" | "publish", happen: () => Promise<void>): Store {
  let happened: Promise<void> | undefined;
  const { points } = store;
  return {
    ...store,
    points: {
      ...points,
      async append(batch) {
        if (kind === "append") await (happened ??= happen());
        return points.append(batch);
      },
      async publish(source, replaces) {
        if (kind === "publish") await (happened ??= happen());
        return points.publish(source, replaces);
      },
    },
  };
}

test.each(["append", "publish"] as const)(
  "a load test removed by a failing import before the first %s is created again",
  async (kind) => {
    const store = openMemoryStore();
    await store.loadTests.create({ id: "run", name: "Of the other", createdAtMs: 1 });
    const failing = interfering(store, kind, () => store.loadTests.deleteUnused("run"));
    await importInto(failing, kind === "append" ? HEADER + FIRST : HEADER, {
      isEmptyAllowed: true,
    });
    expect(await store.loadTests.find("run")).toMatchObject({ name: "Run" });
    expect(await store.points.sources("run")).toHaveLength(1);
  },
);

test("a load test deleted during its import does not come back", async () => {
  const store = openMemoryStore();
  const deleting = interfering(store, "publish", () => store.loadTests.delete("run"));
  await expect(importInto(deleting, HEADER + FIRST)).rejects.toMatchObject({
    code: "unknown-load-test",
  });
  expect(await store.loadTests.list()).toEqual([]);
});

test.each([
  { kind: "text", content: Buffer.from(HEADER + FIRST), isReadElsewhere: true },
  { kind: "gzip", content: gzipSync(HEADER + FIRST), isReadElsewhere: false },
])("a file of $kind is read by the file decoder: $isReadElsewhere", async (given) => {
  const { content, isReadElsewhere } = given;
  const store = openMemoryStore();
  const files: string[] = [];
  const decodeFile: DecodeFile = async ({ path, sourceOptions }, job, take) => {
    files.push(path);
    const source = openSource(inChunks(content), sourceOptions);
    const summary = await decodePoints(source.bytes(), job, take);
    return { ...summary, end: source.end() };
  };
  const { signal } = new AbortController();
  const request = {
    loadTest: { id: "run", name: "Run" },
    name: "a.jtl",
    chunks: inChunks(content),
    file: { path: "/a.jtl", interrupted: signal, onRead: () => undefined },
    decodeOptions: { timeZone: "UTC" },
  };
  const dependencies = { store, formats: [jmeterCsv], decodePoints, decodeFile, now: () => 0 };
  const report = await importResults(request, dependencies);
  expect(report).toMatchObject({ samples: { recorded: 2 }, alreadyImported: false });
  expect(files).toEqual(isReadElsewhere ? ["/a.jtl"] : []);
  expect(await store.points.sources("run")).toMatchObject([
    { digest: digestOf(Buffer.from(HEADER + FIRST)) },
  ]);
  const again = await importResults({ ...request, chunks: inChunks(content) }, dependencies);
  expect(again.alreadyImported).toBe(true);
});

async function* interrupted(): AsyncGenerator<Uint8Array> {
  yield* inChunks(Buffer.from(HEADER + FIRST));
  throw new Error("pulled the plug");
}
