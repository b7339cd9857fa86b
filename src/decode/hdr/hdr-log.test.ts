import { expect, test } from "vitest";
import { readCorpus } from "../../../test/fuzz/corpus.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { bucketOf } from "../../model/buckets/bucket-layout.ts";
import { hdrLog } from "./hdr-log.ts";

const IN_MICROS = { timeZone: "UTC", valueUnit: "us" } as const;

formatContract(hdrLog, {
  options: IN_MICROS,
  wrong: [
    [
      "1,1,0.1",
      'cannot read the line: got "1,1,0.1", want Tag=NAME, a start, a length, a maximum and a compressed histogram',
    ],
    ["1,1,0.1,HISTFA==", "cannot read the histogram: want version 1 or 2, compressed"],
    ["4294967296,1,0.1,HISTFA==", "the start cannot be stored: want a time from 1970 to 2106"],
  ],
});

const [V1 = "", V2 = ""] = readCorpus("hdr-log").map(({ bytes }) => Buffer.from(bytes).toString());

/** What org.HdrHistogram 2.1.3 and 2.2.2 print of the 10,000 values that they wrote. */
test.each([
  ["1", V1],
  ["2", V2],
])("a log of version %s has the values that HdrHistogram recorded", (_version, source) => {
  const { windows } = decodeSource(hdrLog, source, [], IN_MICROS);
  expect(windows.map(({ second, requests }) => [second, requests])).toEqual(
    [0, 1, 2, 3, 4].map((each) => [1_795_926_000 + each, 2000]),
  );
  expect(Math.min(...windows.map(({ minMicros }) => minMicros ?? 0))).toBe(4);
  expect(Math.max(...windows.map(({ maxMicros }) => maxMicros ?? 0))).toBe(45_631);
  const sum = windows.reduce((all, { elapsedMicros }) => all + elapsedMicros, 0);
  expect(sum / 10_000 / 830.4808).toBeCloseTo(1, 3);
  const values = windows.flatMap(({ latencies }) =>
    latencies.flatMap(({ elapsedMicros, requests }) => Array<number>(requests).fill(elapsedMicros)),
  );
  const sorted = values.toSorted((left, right) => left - right);
  for (const [share, reported] of [
    [0.5, 407],
    [0.95, 2947],
    [0.99, 6467],
  ] as const) {
    expect(bucketOf(sorted[share * 10_000 - 1] ?? 0)).toBe(bucketOf(reported));
  }
});

test("tags are labels, relative times begin at the start, and the unit is that of the values", () => {
  const tagged = V2.replaceAll(/^1795926(\d+\.\d+),/gm, "Tag=READ,$1,");
  const { windows } = decodeSource(hdrLog, tagged, [], { timeZone: "UTC", valueUnit: "ms" });
  expect(windows[0]).toMatchObject({ label: "READ", second: 1_795_926_000, windowSeconds: 1 });
  expect(Math.max(...windows.map(({ maxMicros }) => maxMicros ?? 0))).toBe(45_631_000);
});

test("a log is refused without the unit of its values", () => {
  expect(() => decodeSource(hdrLog, V2)).toThrow("give --value-unit ns, us or ms");
});
