import { expect, test } from "vitest";
import { lines } from "../../test/support/begun-reading.ts";
import { HEADER, ROWS } from "../../test/support/follow.ts";
import { COMPLETE } from "../../test/support/batches.ts";
import { digestOf } from "../../test/support/sources.ts";
import { WrittenFile } from "../../test/support/written-file.ts";
import type { Format } from "../decode/decoder.ts";
import { FORMATS } from "../decode/formats.ts";
import { jmeterCsv } from "../decode/jmeter/jmeter-csv.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { PointBatch } from "../store/store.ts";
import { FollowedSource } from "./follow-results.ts";
import type { GrowingFile } from "./reading.ts";
import type { PublishedSource } from "../store/snapshot.ts";

interface Wanted {
  readonly format?: string;
  readonly labelTemplate?: string;
  readonly formats?: readonly Format[];
  /** What the run already holds. */
  readonly published?: readonly PublishedSource[];
}

/** A followed file of `text` with a clock that the test sets. */
function followFile(text: string, wanted: Wanted = {}) {
  const { format, labelTemplate, formats = FORMATS, published = [] } = wanted;
  const written = new WrittenFile();
  written.append(text);
  const opened = written.open() as GrowingFile;
  const reads: number[][] = [];
  const read: GrowingFile["read"] = (at, bytesMax) => {
    reads.push([at, bytesMax]);
    return opened.read(at, bytesMax);
  };
  const file = { ...opened, read };
  const clock = { nowMs: 500 };
  const appended: PointBatch[] = [];
  const store = openMemoryStore();
  const append = async (batch: PointBatch) => {
    appended.push(batch);
    return { duplicate: false };
  };
  const request = {
    loadTest: { id: "run", name: "Run" },
    name: "a.jtl",
    decodeOptions: { timeZone: "UTC", labelTemplate },
    open: async () => file,
    stillMs: 1,
    format,
  };
  const dependencies = {
    target: { ...store, points: { ...store.points, append, sources: async () => published } },
    formats,
    now: () => 5,
    clockMs: () => clock.nowMs,
    wait: async () => {},
    interrupted: new AbortController().signal,
    warn: () => {},
    report: async () => {},
  };
  const source = new FollowedSource(file, request, dependencies);
  return { source, written, reads, clock, appended };
}

const START = HEADER + ROWS.slice(0, 3).join("");

test("reading moves the position, and the end of the data is reported", async () => {
  const { source } = followFile(START);
  expect(source.position).toBe(0);
  expect(await source.advance()).toBe("more");
  expect(source.position).toBe(START.length);
  expect(await source.advance()).toBe("nothing");
  expect(source.position).toBe(START.length);
});

test("a single additional byte counts as data", async () => {
  const { source, written } = followFile(START);
  await source.advance();
  written.append("1");
  expect(await source.advance()).toBe("more");
  expect(source.position).toBe(START.length + 1);
});

test("a poll without data does not start the one-second batch delay", async () => {
  const { source, written, clock, appended } = followFile(START);
  await source.advance();
  for (const nowMs of [1500, 1600]) {
    clock.nowMs = nowMs;
    await source.advance();
  }
  expect(appended).toHaveLength(1);
  clock.nowMs = 2500;
  written.append(ROWS[3] ?? "");
  await source.advance();
  clock.nowMs = 3499;
  await source.advance();
  expect(appended).toHaveLength(1);
  clock.nowMs = 3500;
  await source.advance();
  expect(appended).toHaveLength(2);
});

test("the report states how long the file was followed, in seconds, and adds the notes", async () => {
  const { source, clock } = followFile(START);
  await source.advance();
  clock.nowMs = 3000;
  expect(await source.end(["it was replaced"])).toMatchObject({
    loadTestId: "run",
    source: "a.jtl",
    seconds: 2.5,
    notes: ["it was replaced"],
  });
});

/** A format that cannot be detected from the bytes. */
const SAID_TO_BE_LINES = {
  format: "lines",
  formats: [{ ...lines, recognises: () => false }],
} satisfies Wanted;

test.each([
  [4095, false],
  [4096, true],
])("of %d bytes without a line end it is taken to be told what they are: %s", async (...about) => {
  const [bytes, isStarted] = about;
  const { source, appended } = followFile("x".repeat(bytes), SAID_TO_BE_LINES);
  expect(await source.advance()).toBe(isStarted ? "more" : "nothing");
  expect(source.position).toBe(isStarted ? bytes : 0);
  expect(appended).toEqual([]);
});

test("a line end tells that earlier", async () => {
  expect(await followFile("x\n", SAID_TO_BE_LINES).source.advance()).toBe("more");
});

test("a short file has its stated format at its end", async () => {
  const { source } = followFile("time", SAID_TO_BE_LINES);
  expect(await source.end([])).toMatchObject({ format: "lines" });
});

test("unknown lines are held until there are 64 KiB", async () => {
  const { source, written } = followFile(`${"x".repeat(65_534)}\n`);
  expect(await source.advance()).toBe("nothing");
  expect(source.position).toBe(0);
  written.append("x");
  await expect(source.advance()).rejects.toMatchObject({ code: "unreadable-source" });
});

test("unknown lines are rejected at the end, however few", async () => {
  const { source } = followFile("hello\n");
  expect(await source.advance()).toBe("nothing");
  await expect(source.end([])).rejects.toMatchObject({ code: "unreadable-source" });
});

test("an internal error in a format is not a reason to wait", async () => {
  const failure = new Error("a bug");
  const recognises = () => {
    throw failure;
  };
  const { source } = followFile(START, { formats: [{ ...jmeterCsv, recognises }] });
  await expect(source.advance()).rejects.toBe(failure);
});

test("a label template is rejected for a format without label columns", async () => {
  const wanted = { labelTemplate: "{method}", formats: [lines] };
  const { source, appended } = followFile("one\ntwo\n", wanted);
  await expect(source.advance()).rejects.toMatchObject({ code: "bad-parameter" });
  expect(appended).toEqual([]);
});

function publishedOf(bytes: string): PublishedSource {
  const digest = digestOf(Buffer.from(bytes));
  const sizeBytes = bytes.length;
  const about = { loadTestId: "run", sourceId: "import", name: "a.jtl" };
  return { ...about, format: "earlier", sizeBytes, digest, quality: COMPLETE };
}

/** `jmeter-csv` under a name that only stored data can select. */
const earlier: Format = { ...jmeterCsv, name: "earlier", recognises: () => false };

test("a file is decoded as before, even if a later program took it for another format", async () => {
  const formats = [jmeterCsv, earlier];
  const { source, reads, appended } = followFile(START, {
    formats,
    published: [publishedOf(START)],
  });
  await source.advance();
  expect(await source.end([])).toMatchObject({ format: "earlier", alreadyImported: true });
  expect(appended).toEqual([]);
  // The second one compares it with what is stored: so much, and nothing behind it.
  expect(reads.slice(0, 2)).toEqual([
    [0, 65_536],
    [0, START.length],
  ]);
});

test("a large file is compared with the stored bytes half a mebibyte at a time", async () => {
  const text = HEADER + `1700000000250,100,${"x".repeat(1000)},true,1\n`.repeat(600);
  const { source, reads } = followFile(text, {
    formats: [jmeterCsv, earlier],
    published: [publishedOf(text)],
  });
  await source.advance();
  const compared = reads.slice(1, 3);
  expect(compared).toEqual([
    [0, 524_288],
    [524_288, text.length - 524_288],
  ]);
  await source.advance();
  expect(await source.end([])).toMatchObject({ alreadyImported: true });
});

test("a file that continues after its end is read again from its first byte", async () => {
  const { source, written } = followFile(START, {
    formats: [jmeterCsv, earlier],
    published: [publishedOf(START)],
  });
  await source.advance();
  expect(await source.advance()).toBe("nothing");
  written.append("1");
  expect(await source.advance()).toBe("more");
  expect(source.position).toBe(0);
});
