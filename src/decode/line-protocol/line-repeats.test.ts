import { queryObjects } from "node:v8";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import { LabelTable } from "../labels/label-table.ts";
import { LineRepeats } from "./line-repeats.ts";
import { LineRouter } from "./line-router.ts";

/** Reads every line in full. */
class NoRepeats extends LineRepeats {
  override take(): undefined {
    return undefined;
  }
}

/** Counts the lines read as repeats. */
class CountedRepeats extends LineRepeats {
  taken = 0;

  override take(...line: Parameters<LineRepeats["take"]>): number | undefined {
    const end = super.take(...line);
    if (end !== undefined) this.taken += 1;
    return end;
  }
}

/** Returns everything that a router reports for the chunks. */
function routed(pieces: readonly Uint8Array[], repeats: LineRepeats, precision?: "ns") {
  const log: unknown[] = [];
  const router = new LineRouter({
    loadTestId: "run",
    repeats,
    precision,
    reject: (rejection: Rejection) => log.push(rejection),
    sinkOf: (id) => ({
      record(batch: SampleBatch) {
        for (let row = 0; row < batch.rows; row++) {
          const columns = [batch.label, batch.second, batch.elapsedMicros, batch.failedRequests];
          log.push([id, ...columns.map((column) => column[row])]);
        }
      },
      recordWindow: (window) => log.push([id, window]),
      recordFailure: (...failure) => log.push([id, "failure", ...failure]),
      recordActiveUsers: (...users) => log.push([id, "users", ...users]),
      recordUserChanges: (...changes) => log.push([id, "changes", ...changes]),
      confirmSizes: () => undefined,
      recordPercentiles: () => undefined,
      measures: new MeasureAccumulator(),
      reject: (rejection) => log.push([id, rejection]),
    }),
  });
  for (const piece of pieces) router.push(piece);
  const notes = router.end();
  const names = [...router.loadTests].map(([id, { labels, failureKinds, tools }]) => [
    id,
    [...labels],
    [...failureKinds],
    [...tools],
  ]);
  return { log, notes, names, measured: router.measuredPoints };
}

const name = fc.constantFrom(
  "http_reqs",
  "http_req_duration",
  "http_req_failed",
  "http_req_waiting",
  "vus",
  "checks",
  "my_metric",
  "http_req_duratio",
  "",
);
const tags = fc.constantFrom(
  ",expected_response=true,name=/a,status=200",
  ",expected_response=false,name=/a,status=500",
  ",name=/a,status=404",
  ",name=/b",
  ",name=/b\\ c,testid=other",
  ",testid=no/id,name=/a",
  ",error=x,error_code=1050,name=/a,status=0",
  ",transaction=t,statut=ok,name=/a",
  ",name=",
  "",
);
const fields = fc.constantFrom(
  " ",
  ' url="http://a/",',
  ' url="http://a/\nhttp_reqs,name=/a value=1 1790000000000000000\n",',
  ' url="open,',
  " other=1,",
  "  ",
);
const value = fc.constantFrom("1", "0", "203.508442", "1.5e+06", "-1", "1i", '"1"', "", "1,x=2");
const time = fc.constantFrom(
  " 1790000000123456789",
  " 1790000001000000000",
  " 1790000000",
  "  1790000000123456789",
  " 1790000000123456789 ",
  " 17x",
  "",
);
const lineEnd = fc.constantFrom("\n", "\n", "\n", "\r\n", "\n\n");
const weighted = <Text>(usual: Text, any: fc.Arbitrary<Text>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: any });

const line = fc
  .tuple(
    name,
    weighted(",expected_response=true,name=/a,status=200", tags),
    weighted(' url="http://a/",', fields),
    weighted("value=", fc.constantFrom("count=", "value", "value=value=")),
    weighted("12.25", value),
    weighted(" 1790000000123456789", time),
    lineEnd,
  )
  .map((parts) => parts.join(""));

function cutInto(text: string, sizes: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

test.each([undefined, "ns"] as const)(
  "repeated lines give the same result as lines read in full, precision %s",
  (precision) => {
    const shared = new LineRepeats();
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 }),
        (lines, sizes) => {
          const pieces = cutInto(lines.join(""), sizes);
          const expected = routed(pieces, new NoRepeats(), precision);
          expect(routed(pieces, new LineRepeats(), precision)).toEqual(expected);
          expect(routed(pieces, shared, precision)).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  },
);

test("all lines of a request but the first are repeats, and all lines of later requests", () => {
  const metrics = ["http_reqs", "http_req_duration", "http_req_waiting", "http_req_failed"];
  const request = metrics.map((each) => `${each},name=/a,status=200 value=1 1790000000000000000\n`);
  const repeats = new CountedRepeats();
  routed([Buffer.from(request.join(""))], repeats);
  expect(repeats.taken).toBe(3);
  routed([Buffer.from(request.join(""))], repeats);
  // The first line of a source selects its load test and is read in full.
  expect(repeats.taken).toBe(6);
});

test("cached lines do not retain the tables of their sources", () => {
  const repeats = new CountedRepeats();
  for (let source = 0; source < 20; source++) {
    const point = `http_req_duration,name=/${source} value=1 1790000000000000000\n`;
    routed([Buffer.from(point.repeat(2))], repeats);
  }
  expect(repeats.taken).toBe(20);
  // Collects garbage and counts the remaining tables, 80 KB each.
  expect(queryObjects(LabelTable, { format: "count" })).toBeLessThan(5);
});

test.each([
  ["a value of many digits", `0.${"0".repeat(100)}1 1790000000000000000`],
  ["a time of many digits", `1 1790000000${"0".repeat(90)}`],
])("a line with %s is not a repeat", (_what, tail) => {
  const repeats = new CountedRepeats();
  const head = "http_req_duration,name=/a value=";
  routed([Buffer.from(`${head}1 1790000000000000000\n${head}${tail}\n`)], repeats);
  expect(repeats.taken).toBe(0);
});
