import { expect, test } from "vitest";
import { copy } from "../../test/support/copying.ts";
import { follow, HEADER, PAUSE, ROWS } from "../../test/support/follow.ts";
import { importInto, inChunks } from "../../test/support/imports.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { snapshotOf } from "../../test/support/batches.ts";
import { WrittenFile } from "../../test/support/written-file.ts";
import type { Format } from "../decode/decoder.ts";
import { SampleRows } from "../decode/sample-rows.ts";
import { readSourceFacts } from "../query/source-facts.ts";
import { decodePoints } from "./decode-points.ts";
import { importResults } from "./import-results.ts";

/** Each line is a request; of lines with `?` the size is unknown, and of `??` the start as well. */
const asked: Format = {
  name: "asked",
  recognises: () => true,
  open(sink) {
    const rows = new SampleRows(sink);
    let [text, line, byte] = ["", 0, 0];
    return {
      labels: ["a"],
      failureKinds: [],
      generators: [],
      push(bytes) {
        text += new TextDecoder().decode(bytes);
        for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
          line += 1;
          const place = { line, byte, reason: `got ${text.slice(0, end)}` };
          rows.addRequest(0, 1_700_000_000, { elapsedMicros: 1, hasFailed: false });
          if (text.startsWith("?")) sink.repair("size-unknown", place);
          if (text.startsWith("??")) sink.repair("start-unknown", place);
          byte += end + 1;
          text = text.slice(end + 1);
        }
      },
      flush: () => rows.flush(),
      end() {
        rows.flush();
        const discrepancies = [{ figure: "requests", reported: 9, counted: line }] as const;
        return { truncatedAt: undefined, notes: [], quality: { discrepancies } };
      },
    };
  },
};

const QUALITY = {
  rejectedRows: 0,
  repairedRows: { "start-unknown": 1, "size-unknown": 7 },
  discrepancies: [{ figure: "requests", reported: 9, counted: 8 }],
};

const REMARKS = [
  ["rows-repaired", '1 row of "a.txt" without a readable start'],
  ["rows-repaired", '7 rows of "a.txt" without a readable size'],
  ["totals-differ", '"a.txt" reports 9 requests, but 8 were counted in it'],
];

test("rows of which something is unknown are counted, listed, stored, copied and shown", async () => {
  const [store, target] = [openMemoryStore(), openMemoryStore()];
  const content = `ok\n??\n${"?\n".repeat(6)}`;
  const report = await importResults(
    {
      loadTest: { id: "run", name: "Run" },
      name: "a.txt",
      chunks: inChunks(Buffer.from(`\u{feff}${content}`)),
      decodeOptions: { timeZone: "UTC" },
    },
    { store, formats: [asked], decodePoints, now: () => 0 },
  );
  // Bytes count from the mark at the beginning, which has 3.
  const places = [6, 9, 11, 13, 15].map((byte, index) => {
    return { line: 2 + index, byte, reason: index === 0 ? "got ??" : "got ?" };
  });
  expect(report).toMatchObject({
    samples: { read: 8, recorded: 8, rejected: 0 },
    requests: 8,
    repairs: [
      { kind: "start-unknown", rows: 1, places: places.slice(0, 1) },
      { kind: "size-unknown", rows: 7, places },
    ],
  });
  await copy(store, target);
  for (const each of [store, target]) {
    expect((await each.points.sources("run"))[0]?.quality).toMatchObject(QUALITY);
    const { remarks } = await readSourceFacts(await snapshotOf(each));
    const told = remarks.map(({ code, message }) => [code, message]);
    expect(told).toEqual(expect.arrayContaining(REMARKS));
  }
});

test("rejected rows of a followed file count once, however often it is started again", async () => {
  const store = openMemoryStore();
  const file = new WrittenFile();
  const ofRun = async () => (await store.points.liveSources("run"))[0]?.quality?.rejectedRows;
  const counts: (number | undefined)[] = [];
  const look = (): void => void ofRun().then((rows) => counts.push(rows));
  file.append(`${HEADER}${ROWS[0]}oops\n`);
  await follow(file, [...PAUSE, look, () => file.append("oops\noops\n"), ...PAUSE], { store });
  await follow(file, [...PAUSE, () => file.append(`${ROWS[1]}oops\n`), ...PAUSE], { store });
  expect(counts).toEqual([1]);
  expect(await ofRun()).toBe(4);
  const copied = openMemoryStore();
  await copy(store, copied);
  expect((await copied.points.sources("run"))[0]?.quality).toMatchObject({ rejectedRows: 4 });
});

test("a record counts as all the rows that its open quote may have swallowed", async () => {
  const store = openMemoryStore();
  const row = "0.0313,0.0001,0.0000,0.0000,0.0310,0.0001,200,0.3311\n";
  const header =
    "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n";
  const swallowed = `"${row}${row}${row.replace("200", '200"')}`;
  const report = await importInto(store, header + row + swallowed + row, {
    format: "hey-csv",
    startedAtMs: 1_700_000_000_000,
  });
  expect(report.samples).toEqual({ read: 3, recorded: 2, rejected: 1 });
  expect((await store.points.sources("run"))[0]?.quality).toMatchObject({ rejectedRows: 3 });
});
