import { expect, test } from "vitest";
import { decodeSource, FAULTLESS } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { phout } from "./phout.ts";

const ROW = "1502376593.698\tcart#12\t797\t208\t12\t521\t56\t670\t31\t315\t0\t200";

function row(changes: Readonly<Record<number, string>>): string {
  return ROW.split("\t")
    .map((field, column) => changes[column] ?? field)
    .join("\t");
}

test("a row is a request in the second in which it started", () => {
  expect(phout.recognises(Buffer.from(`${ROW}\n`))).toBe(true);
  const { samples, ...others } = decodeSource(phout, `${ROW}\r\n`);
  expect(samples).toEqual([
    {
      label: "cart",
      second: 1_502_376_593,
      elapsedMicros: 797,
      receivedBytes: 315,
      requests: 1,
      failedRequests: 0,
    },
  ]);
  expect(others).toMatchObject({ failures: [], ...FAULTLESS });
});

test("the last row of a file and the first of the next, without an end of line between them, are rejected", () => {
  const { samples, rejections } = decodeSource(phout, `${ROW}\n${ROW}${ROW}\n${ROW}\n`);
  expect(samples).toHaveLength(2);
  expect(rejections).toMatchObject([{ line: 2, reason: "got 23 columns, want 12 between tabs" }]);
});

test.each([
  ["", ""],
  ["#3", ""],
  ["cart", "cart"],
  ["cart#a#12", "cart#a"],
  ["a|b#1", "a|b"],
  ['"never closed, "', '"never closed, "'],
])("the tag %j is the label %j", (tag, label) => {
  const { samples } = decodeSource(phout, row({ 1: tag }));
  expect(samples.map((sample) => sample.label)).toEqual([label]);
});

test.each([
  ["0", "200", []],
  ["0", "399", []],
  ["0", "0", []],
  ["0", "404", [{ code: "404", message: "" }]],
  ["110", "0", [{ code: "0", message: "net code 110" }]],
  ["104", "200", [{ code: "200", message: "net code 104" }]],
])("net code %s with status %s fails as %j", (net, status, kinds) => {
  const { samples, failures } = decodeSource(phout, row({ 10: net, 11: status }));
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([kinds.length]);
  expect(failures.map(({ kind }) => kind)).toEqual(kinds);
});

test("a source without any size has a note", () => {
  const { notes } = decodeSource(phout, row({ 9: "0" }));
  expect(notes).toEqual(["no row has a size: response sizes are unknown"]);
});

test("labels can combine fields", () => {
  const options = { timeZone: "UTC", labelTemplate: "{tag} {proto_code}" };
  const { samples } = decodeSource(phout, ROW, [], options);
  expect(samples.map(({ label }) => label)).toEqual(["cart#12 200"]);
});

test.each([
  ["time-unknown", { 2: "-5" }, 'cannot read interval_real: got "-5", want a whole number'],
  ["size-unknown", { 9: "-1" }, 'cannot read size_in: got "-1", want a whole number'],
  ["fields-misplaced", { 1: "a\tb" }, "got 13 columns, want 12 between tabs"],
  ["label-shortened", { 1: "x".repeat(1025) }, "the label is too long: want at most 1024 bytes"],
])("a failed request with %s is counted", (kind, change, reason) => {
  const source = `${ROW}\n${row({ ...change, 11: "503" })}\n`;
  const { samples, windows, rejections, repairs, failures } = decodeSource(phout, source);
  expect(samples.length + windows.length).toBe(2);
  expect(failures).toMatchObject([{ kind: { code: "503" }, requests: 1 }]);
  expect(rejections).toEqual([]);
  expect(repairs).toEqual([{ kind, line: 2, byte: ROW.length + 1, reason }]);
});

test.each([
  ["elapsed time", { 2: "7\t97" }],
  ["received bytes", { 9: "3\t15" }],
])("a tab inside the %s leaves time and size unknown", (_what, change) => {
  const { windows, repairs = [] } = decodeSource(phout, `${row({ ...change, 11: "503" })}\n`);
  expect(windows).toMatchObject([
    { requests: 1, untimedRequests: 1, failedRequests: 1, receivedBytes: 0 },
  ]);
  expect(repairs.map(({ kind }) => kind)).toEqual([
    "fields-misplaced",
    "time-unknown",
    "size-unknown",
  ]);
});

test("a last row without a line end is read if its status is complete", () => {
  const endings = [ROW, ROW.slice(0, -1), ROW.slice(0, -3), row({ 11: "0" })];
  const whole = endings.map((end) => {
    const { samples, truncatedAt } = decodeSource(phout, `${ROW}\n${end}`);
    return { rows: samples.length, isCut: truncatedAt !== undefined };
  });
  expect(whole).toEqual([
    { rows: 2, isCut: false },
    { rows: 1, isCut: true },
    { rows: 1, isCut: true },
    { rows: 2, isCut: false },
  ]);
});

formatContract(phout, {
  wrong: [
    [ROW.slice(0, -4), "got 11 columns, want 12 between tabs"],
    [row({ 0: "today" }), 'cannot read time: got "today", want seconds since 1970'],
    [row({ 11: "OK" }), 'cannot read proto_code: got "OK", want 0 or a status of three digits'],
    [row({ 11: "50" }), 'cannot read proto_code: got "50", want 0 or a status of three digits'],
    [row({ 11: "2" }), 'cannot read proto_code: got "2", want 0 or a status of three digits'],
  ],
});
