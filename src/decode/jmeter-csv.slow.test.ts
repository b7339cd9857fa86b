import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Decoded,
  type DecodedSample,
  decodeSource,
} from "../../test/support/decode-source.ts";
import { mutantsOf, outcomesOf, placesOf } from "../../test/support/mutants.ts";
import { jmeterCsv } from "./jmeter-csv.ts";

/** A field as it is written, and what it means; `undefined` where it cannot be read. */
type Written<Value> = readonly [text: string, value: Value | undefined];

const seconds: fc.Arbitrary<Written<number>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Written<number>>(["1795232610052", 1_795_232_610]) },
  fc.constantFrom<Written<number>>(
    ["0", 0],
    ["999", 0],
    ["4294967295999", 4_294_967_295],
    ["4294967296000", undefined],
    ["2026-11-21 03:43:30", 1_795_232_610],
    ["2026-11-21 03:43:59,9", 1_795_232_639],
    ["2026-13-21 03:43:30", undefined],
    ["17952326100x2", undefined],
    ["", undefined],
  ),
);

const elapsed: fc.Arbitrary<Written<number>> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.nat(3_000_000_000).map<Written<number>>((ms) => [`${ms}`, ms * 1000]),
  },
  fc.constantFrom<Written<number>>(
    ["007", 7000],
    ["1.5", 1500],
    ["9007199254740", 9_007_199_254_740_000],
    ["9007199254741", undefined],
    ["12x", undefined],
    ["-1", undefined],
    ["", undefined],
  ),
);

const sizes: fc.Arbitrary<Written<number>> = fc.oneof(
  { weight: 8, arbitrary: fc.nat(2 ** 31 - 1).map<Written<number>>((size) => [`${size}`, size]) },
  fc.constantFrom<Written<number>>(
    ["", 0],
    ["12.0", 12],
    ["9007199254740991", 9_007_199_254_740_991],
    ["9007199254740992", undefined],
    ["1 000", undefined],
  ),
);

const failures = fc.constantFrom<Written<number>>(
  ["true", 0],
  ["true", 0],
  ["false", 1],
  ["TRUE", 0],
  ["falsey", 1],
  ["", 1],
);

const labels = fc.oneof(
  fc.constantFrom("Home", "Search", "", "商品列表", "Add 🛒", 'say "hi"', "a,b", "a\nb", "a\r\nb"),
  fc.constantFrom("x\n1795232610052,1,fake,true,2\n", '"', '""', " a ", "\u0000", "__proto__"),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);

const messages = fc.constantFrom("", "OK", 'not "found"', "two\nlines", 'quote " inside', ",,,");

interface Line {
  readonly text: string;
  readonly sample: DecodedSample | undefined;
  readonly isRow: boolean;
}

const rows: fc.Arbitrary<Line> = fc
  .record({ seconds, elapsed, labels, messages, failures, sizes, always: fc.nat(5) })
  .map((row) => {
    const fields = [row.seconds[0], row.elapsed[0], row.labels, row.messages];
    const text = [...fields, row.failures[0], row.sizes[0], "7"]
      .map((field) => quotedIfNeeded(field, row.always === 0))
      .join(",");
    const [second, elapsedMicros, receivedBytes] = [row.seconds[1], row.elapsed[1], row.sizes[1]];
    const canBeRead =
      second !== undefined && elapsedMicros !== undefined && receivedBytes !== undefined;
    const failedRequests = row.failures[1] ?? 0;
    const sample = { label: row.labels, requests: 1, failedRequests };
    return {
      text,
      isRow: true,
      sample: canBeRead ? { ...sample, second, elapsedMicros, receivedBytes } : undefined,
    };
  });

const HEADER = "timeStamp,elapsed,label,responseMessage,success,bytes,Latency";

const lines: fc.Arbitrary<Line> = fc.oneof(
  { weight: 20, arbitrary: rows },
  fc.constantFrom<Line>(
    { text: "", isRow: false, sample: undefined },
    { text: HEADER, isRow: false, sample: undefined },
    { text: "1795232610052,1", isRow: true, sample: undefined },
    { text: "1795232610052,1,a,b,true,2,3,4", isRow: true, sample: undefined },
  ),
);

const files = fc.record({
  lines: fc.array(lines, { maxLength: 30 }),
  lineEnds: fc.constantFrom(["\n"], ["\r\n"], ["\n", "\r\n"]),
  pieces: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
});

test("plain rows, odd rows and any pieces give what was written", () => {
  fc.assert(
    fc.property(files, ({ lines: written, lineEnds, pieces }) => {
      const source = [{ text: HEADER }, ...written]
        .map(({ text }, index) => text + (lineEnds[index % lineEnds.length] ?? ""))
        .join("");
      const whole = decodeSource(jmeterCsv, source);
      expect(whole.samples).toEqual(written.flatMap(({ sample }) => sample ?? []));
      const rejected = written.filter(({ isRow, sample }) => isRow && sample === undefined);
      expect(whole.rejections).toHaveLength(rejected.length);
      // Byte by byte, no row is ever plain: all of them are read one at a time.
      expect(decodeSource(jmeterCsv, source, [1])).toEqual(whole);
      expect(decodeSource(jmeterCsv, source, pieces)).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});

const SEED = `${HEADER}
1795232610052,163,Home,OK,true,663,58
1795232610053,17,"Search, ""quoted""","two
lines",false,177,10\r
2026-11-21 03:43:30.052,12,商品列表,,true,4248,12
1795232610054,0,,OK,true,0,0
${HEADER}
1795232610055,44,Add 🛒,OK,FALSE,1,0
`;

test("no edit of its bytes makes a source crash, hang or depend on its pieces", () => {
  fc.assert(
    fc.property(mutantsOf(SEED), (mutant) => {
      const [whole, ...others] = outcomesOf(jmeterCsv, mutant);
      for (const other of others) expect(other).toEqual(whole);
      for (const { line, byte } of placesOf(whole as Decoded)) {
        // Every record begins behind a line feed, and as many lines down as there are before it.
        expect(byte === 0 || mutant[byte - 1] === 0x0a).toBe(true);
        expect(line).toBe(1 + mutant.subarray(0, byte).filter((each) => each === 0x0a).length);
      }
    }),
    { numRuns: 1000 },
  );
});

function quotedIfNeeded(field: string, always: boolean): string {
  return always || /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
