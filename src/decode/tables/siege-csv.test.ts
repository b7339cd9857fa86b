import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { siegeCsv } from "./siege-csv.ts";

const ESCAPE = String.fromCodePoint(0x1b);
const ROW = "HTTP/1.1,200,  0.36,   3372,/a,0,2026-11-21 03:43:30";

test.each([
  ["a plain row", ROW],
  ["a row with the number of its user", `   4,${ROW}`],
  ["a row with stamp, mark and user", `[Sat, 2026-11-21 03:43:30] mark1,   3,${ROW}`],
  ["a row in colour", `${ESCAPE}[0;34m   4,${ROW}${ESCAPE}[0m`],
  ["a row whose beginning another process tore off", `30] mark1,   1,${ROW}`],
  ["a row with CR LF", `${ROW}\r`],
])("%s is read", (_what, line) => {
  expect(siegeCsv.recognises(Buffer.from(`** SIEGE 4.0.7\n${line}\n`))).toBe(true);
  const { samples, rejections } = decodeSource(siegeCsv, `${line}\n`);
  expect({ samples, rejections }).toEqual({
    samples: [
      {
        label: "/a",
        second: 1_795_232_609,
        elapsedMicros: 360_000,
        receivedBytes: 3372,
        requests: 1,
        failedRequests: 0,
      },
    ],
    rejections: [],
  });
});

test("a request started its elapsed time before its end", () => {
  const seconds = ["0.00", "0.01", "1.00", "1.01"].map((elapsed) => {
    const source = `${ROW.replace("0.36", elapsed)}\n`;
    return decodeSource(siegeCsv, source).samples[0]?.second;
  });
  expect(seconds).toEqual([1_795_232_610, 1_795_232_609, 1_795_232_609, 1_795_232_608]);
});

test("times are read in the zone of the import, which is noted", () => {
  const options = { timeZone: "Asia/Kolkata" };
  const { samples, notes } = decodeSource(siegeCsv, `${ROW}\n`, [], options);
  expect(samples).toMatchObject([{ second: 1_795_232_609 - 19_800 }]);
  expect(notes).toContain("the time of a row has no zone: read as Asia/Kolkata");
});

test.each([
  ["302", 0],
  ["400", 1],
  ["503", 1],
  ["0", 1],
])("status %s has failed: %i", (status, failed) => {
  const { samples, failures } = decodeSource(siegeCsv, `${ROW.replace("200", status)}\n`);
  expect(samples).toMatchObject([{ failedRequests: failed }]);
  expect(failures.map(({ kind }) => kind?.code)).toEqual(failed === 1 ? [status] : []);
});

test("commas in a URL belong to the URL, and a label can be chosen", () => {
  const source = `${ROW.replace("/a", "http://h/a,b?c=1,2")}\n`;
  expect(decodeSource(siegeCsv, source).samples[0]?.label).toBe("http://h/a,b?c=1,2");
  const options = { timeZone: "UTC", labelTemplate: "{url} {code}" };
  const [sample] = decodeSource(siegeCsv, source, [], options).samples;
  expect(sample?.label).toBe("http://h/a,b?c=1,2 200");
});

test("messages of siege are not records, but incomplete rows are rejected", () => {
  const lines = [
    "** SIEGE 4.0.7",
    "",
    ROW,
    "[error] socket: unable to connect",
    "[Sat, 2026-11-21 00:13:",
    `HTTP/1.1,200,  0.0${ROW}`,
    "Transactions:\t\t          15 hits",
    "",
  ];
  const { samples, rejections, notes } = decodeSource(siegeCsv, lines.join("\n"));
  expect(samples.length).toBe(1);
  expect(rejections).toEqual([
    {
      line: 5,
      byte: lines.slice(0, 4).join("\n").length + 1,
      reason: 'the line is part of a row: got "[Sat, 2026-11-21 00:13:", want all of it',
    },
    { line: 6, byte: expect.any(Number), reason: expect.stringContaining("part of a row") },
  ]);
  expect(notes).toContain("lines of siege that are not requests, not counted: 3");
});

test("an impossible date rejects only its own row", () => {
  const { samples, rejections } = decodeSource(
    siegeCsv,
    `${ROW.replace("2026-11", "2026-13")}\n${ROW}\n`,
  );
  expect(samples.length).toBe(1);
  expect(rejections.map(({ reason }) => reason)).toEqual([
    'cannot read the time: got "2026-13-21 03:43:30", want a month from 1 to 12',
  ]);
});

formatContract(siegeCsv);
