import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { quantileOf } from "../../../test/support/decoded-measures.ts";
import { jmeterCsv } from "./jmeter-csv.ts";

const SECOND = 1_795_232_600;
const HEADER = 'timeStamp,elapsed,label,responseMessage,success,Latency,"items","who"\n';
const row = (items: string, label = "a", message = "OK", who = "Анна") =>
  `${SECOND}000,5,${label},${message},true,1,${items},"${who}, ""A"""\n`;
const decode = (...rows: readonly string[]) => decodeSource(jmeterCsv, HEADER + rows.join(""));

function variablesIn({ measured }: ReturnType<typeof decode>): unknown[] {
  const all = measured?.all.filter(({ name }) => name !== "latency") ?? [];
  return all.map(({ label = "", name, unit, kind, count, sum, min, max }) => {
    return [label, name, `${kind} ${unit}`, count, sum, min, max];
  });
}

test("a variable that is a number is a distribution, of each endpoint and of the load test", () => {
  const values = Array.from({ length: 5000 }, (_, each) => (each * 7) % 1000);
  const decoded = decode(
    ...values.map((value, each) => row(`${value}`, each % 2 === 0 ? "a" : "b")),
  );
  const sumOf = (odd: number) =>
    values.filter((_, each) => each % 2 === odd).reduce((sum, value) => sum + value, 0);
  expect(decoded.samples).toHaveLength(5000);
  expect(variablesIn(decoded)).toEqual([
    ["", "items", "distribution ", 5000, sumOf(0) + sumOf(1), 0, 999],
    ["a", "items", "distribution ", 2500, sumOf(0), 0, 998],
    ["b", "items", "distribution ", 2500, sumOf(1), 1, 999],
  ]);
  const whole = decoded.measured?.all.find(({ name }) => name === "items");
  const p95 = values.toSorted((left, right) => left - right)[4749] ?? 0;
  if (whole === undefined) throw new Error("no items");
  expect(Math.abs(quantileOf(whole, 0.95) / p95 - 1)).toBeLessThan(0.01);
  expect(decoded.notes).toContain('sample variables without numbers, not stored: "who"');
});

test("values that are not numbers are counted, before the first number too; empty and null are not set", () => {
  const decoded = decode(
    ...["NOT_FOUND", "", "null", "-1.5", "x", "3", "1e3"].map((each) => row(each)),
  );
  expect(variablesIn(decoded)).toEqual([
    ["", "items", "distribution ", 3, 1001.5, -1.5, 1000],
    ["a", "items", "distribution ", 3, 1001.5, -1.5, 1000],
  ]);
  expect(decoded.measured?.unstored["value"]).toBe(2);
});

test("rows that repeat others count for their endpoint alone", () => {
  const message = '"Number of samples in transaction : 1, number of failing samples : 0"';
  expect(variablesIn(decode(row("3"), row("5", "Buy", message)))).toEqual([
    ["", "items", "distribution ", 1, 3, 3, 3],
    ["Buy", "items", "distribution ", 1, 5, 5, 5],
    ["a", "items", "distribution ", 1, 3, 3, 3],
  ]);
});

test("a variable with too long a name is counted, and changes nothing for others", () => {
  const header = `timeStamp,elapsed,label,success,"${"x".repeat(201)}","items"\n`;
  const decoded = decodeSource(jmeterCsv, `${header}${SECOND}000,5,a,true,1,2\n`);
  expect(variablesIn(decoded)).toEqual([
    ["", "items", "distribution ", 1, 2, 2, 2],
    ["a", "items", "distribution ", 1, 2, 2, 2],
  ]);
  expect(decoded.measured?.unstored["name"]).toBe(1);
});

test("a last value without a line end may be cut", () => {
  const header = 'timeStamp,elapsed,label,success,"items"\n';
  const text = `${header}${SECOND}000,5,a,true,12\n${SECOND}000,5,a,true,1`;
  const decoded = decodeSource(jmeterCsv, text);
  expect(decoded.samples).toHaveLength(2);
  expect(variablesIn(decoded)[0]).toEqual(["", "items", "distribution ", 1, 12, 12, 12]);
  expect(decoded.measured?.unstored["value"]).toBe(1);
});

test("text variables of a recording change nothing but the notes", () => {
  const file = "../../../test/fixtures/jmeter-csv/gen-jmeter-5.6.3-all-columns-vars.csv.gz";
  const text = gunzipSync(readFileSync(path.join(import.meta.dirname, file))).toString();
  const { measured, notes } = decodeSource(jmeterCsv, text, [4000]);
  const names = new Set(measured?.all.map(({ name }) => name));
  expect([...names].toSorted((left, right) => (left < right ? -1 : 1))).toEqual([
    "connect",
    "idle",
    "latency",
    "responses",
    "sent",
  ]);
  expect(notes).toContain('sample variables without numbers, not stored: "who", "trace"');
});
