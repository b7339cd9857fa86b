import { queryObjects } from "node:v8";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { SampleBatch } from "../../model/sample-batch.ts";
import { LabelTable } from "../labels/label-table.ts";
import { lineProtocol } from "./line-protocol.ts";
import { LineRepeats } from "./line-repeats.ts";
import { LineRouter, type LineRouterOptions } from "./line-router.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

/** Reads every line in full. */
class NoRepeats extends LineRepeats {
  override learn(): void {}
}

/** Counts the lines read as repeats. */
class CountedRepeats extends LineRepeats {
  taken = 0;

  override take(...from: Parameters<LineRepeats["take"]>): ReturnType<LineRepeats["take"]> {
    const taken = super.take(...from);
    this.taken += taken.lines;
    return taken;
  }
}

type Options = Pick<LineRouterOptions, "precision" | "labels">;

/** Returns everything that a router reports for the chunks. */
function routed(pieces: readonly Uint8Array[], repeats?: LineRepeats, options?: Options) {
  const { push, end } = opened(repeats, options);
  for (const piece of pieces) push(piece);
  return end();
}

function opened(repeats?: LineRepeats, options: Options = {}) {
  const log: unknown[] = [];
  const router = new LineRouter({
    loadTestId: "run",
    repeats,
    ...options,
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
      repair: (...repair) => log.push([id, "repair", ...repair]),
    }),
  });
  const end = () => {
    const notes = router.end();
    const names = [...router.loadTests].map(([id, { labels, failureKinds, tools }]) => [
      id,
      [...labels],
      [...failureKinds],
      [...tools],
    ]);
    return { log, notes, names, measured: router.measuredPoints };
  };
  return { push: (piece: Uint8Array) => router.push(piece), end };
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
const value = fc.oneof(
  fc.constantFrom("1", "0", "203.508442", "0.0000005", "12000.5", "9007199254.740993", "1.2.3"),
  fc.constantFrom("1.5e+06", "-1", "1i", '"1"', "", "1,x=2", "."),
);
const time = fc.constantFrom(
  " 1790000000123456789",
  " 1790000001000000000",
  " 1790000000",
  " 1790000000123",
  " 0000000005",
  " 9999999999",
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

const lines = fc.array(line, { maxLength: 40 });
const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 5 });

const usual = ["http_reqs", "http_req_failed"].map(
  (each) => `${each},name=/a value=0 1790000000000000000\n`,
);

test.each<Options>([{}, { precision: "ns" }, { labels: { labelsMax: 1 } }])(
  "repeated lines give the same result as lines read in full, %o",
  (options) => {
    const shared = new LineRepeats();
    fc.assert(
      fc.property(lines, sizes, (written, cuts) => {
        const pieces = cutInto(written.join(""), cuts);
        const expected = routed(pieces, new NoRepeats(), options);
        expect(routed(pieces, new LineRepeats(), options)).toEqual(expected);
        expect(routed(pieces, shared, options)).toEqual(expected);
      }),
      { numRuns: randomCases(150) },
    );
  },
);

test("sources that send in turns share the cache", () => {
  const shared = new LineRepeats();
  fc.assert(
    fc.property(lines, lines, sizes, (first, second, cuts) => {
      const sources = [first, second].map((written) => cutInto(written.join(""), cuts));
      const routers = sources.map(() => opened(shared));
      const rounds = Math.max(...sources.map(({ length }) => length));
      for (let round = 0; round < rounds; round++) {
        routers.forEach(({ push }, index) => push(sources[index]?.[round] ?? new Uint8Array(0)));
      }
      const expected = sources.map((pieces) => routed(pieces, new NoRepeats()));
      expect(routers.map(({ end }) => end())).toEqual(expected);
    }),
    { numRuns: randomCases(100) },
  );
});

test("the kernel reads a body of many pieces", () => {
  const body = fc.sample(fc.array(line, { minLength: 5000, maxLength: 5000 }), {
    numRuns: 1,
    seed: 1,
  });
  const text = body
    .flat()
    .join("")
    .replaceAll(/ url="open,.*/g, "");
  const repeats = new CountedRepeats();
  const pieces = [Buffer.from(text), Buffer.from(text)];
  expect(routed(pieces, repeats)).toEqual(routed(pieces, new NoRepeats()));
  expect(repeats.taken).toBeGreaterThan(1000);
});

test.each([
  ["more heads than are cached", Array.from({ length: 5000 }, (_, each) => `/${each}`)],
  ["a head that is too long for the cache", ["/a", `/${"b".repeat(10_000)}`]],
])("%s: the result is that of lines read in full", (_what, names) => {
  const text = names
    .flatMap((each) =>
      [`http_req_duration,name=${each} value=1 1790000000000000000\n`].concat(usual),
    )
    .join("");
  const pieces = cutInto(text.repeat(2), [3000]);
  const repeats = new CountedRepeats();
  expect(routed(pieces, repeats)).toEqual(routed(pieces, new NoRepeats()));
  expect(repeats.taken).toBeGreaterThan(names.length);
});

test("files, in which load test tags mean nothing, do not change what they mean in live writes", () => {
  const tagged = "http_req_duration,name=/a,testid=other value=1 1790000000000000000\n";
  const pieces = [tagged.replace(",testid=other", ""), tagged, tagged].map((each) =>
    Buffer.from(each),
  );
  decodeSource(lineProtocol, tagged.repeat(2));
  expect(routed(pieces)).toEqual(routed(pieces, new NoRepeats()));
});

test("all lines of a request but the first are repeats, and all lines of later requests", () => {
  const metrics = ["http_reqs", "http_req_duration", "http_req_waiting", "http_req_failed"];
  const request = metrics.map((each) => `${each},name=/a,status=200 value=1 1790000000000000000\n`);
  const repeats = new CountedRepeats();
  routed(
    request.map((each) => Buffer.from(each)),
    repeats,
  );
  expect(repeats.taken).toBe(3);
  routed([Buffer.from(request.join(""))], repeats);
  // The first line of a source selects its load test and is read in full.
  expect(repeats.taken).toBe(6);
});

test("cached lines do not retain the tables of their sources", () => {
  const repeats = new CountedRepeats();
  for (let source = 0; source < 20; source++) {
    const point = Buffer.from(`http_req_duration,name=/${source} value=1 1790000000000000000\n`);
    routed([point, point], repeats);
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
