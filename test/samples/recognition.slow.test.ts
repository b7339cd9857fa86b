import { expect, test } from "vitest";
import { FORMATS } from "../../src/decode/formats.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";

const HEAD_BYTES = 64 * 1024;

/** Their tables have JMeter's columns, but timestamps with another meaning. */
const FIRST_OF_TWO: readonly string[][] = [["taurus-csv", "jmeter-csv"]];

const plain = FIXTURES.filter(({ file }) => !file.endsWith(".gz"));

test.each(plain)("$file has one format, or none if it is rejected", (expectation) => {
  const { file, ending, refusal = "" } = expectation;
  const head = readFixture(file).subarray(0, HEAD_BYTES);
  const names = FORMATS.filter((format) => format.recognises(head)).map(({ name }) => name);
  const isKnownPair = FIRST_OF_TWO.some((pair) => pair.join() === names.join());
  expect({ names, count: isKnownPair ? 1 : names.length }).toEqual({
    names,
    count: ending === "refused" && !refusal.includes("no rows") ? 0 : 1,
  });
});
