import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsArbitrary } from "../../test/support/any-points.ts";
import { HOSTILE_LABELS } from "../../test/hostile-labels/labels.ts";
import { failure } from "../../test/support/details.ts";
import { failureTable } from "../../test/support/plain-details.ts";
import { measuresArbitrary, measureTable } from "../../test/support/plain-measures.ts";
import { NO_MEASURES } from "../model/measures/measure-table.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { packReport, type ReportContents, unpackReports } from "./report-bytes.ts";
import { reportHtml } from "./report-html.ts";

function packed(report: ReportContents<unknown>): Uint8Array {
  return Buffer.concat([...packReport(report)]);
}

const users = fc
  .uniqueArray(fc.tuple(fc.nat(2 ** 32 - 1), fc.nat(100_000)), { selector: ([second]) => second })
  .map((pairs) => pairs.toSorted(([left], [right]) => left - right));

const failures = fc
  .array(fc.tuple(fc.nat(1), fc.constantFrom("500", "", "\u2028"), fc.nat(2 ** 32 - 1)))
  .map((rows) => failureTable(rows.map(([at, code, second]) => failure(at, code, second, 7))));

test("a report is read back as written, whatever its numbers", () => {
  fc.assert(
    fc.property(
      pointsArbitrary,
      failures,
      users,
      measuresArbitrary,
      (points, failed, active, measured) => {
        // An endpoint has each second once, whatever the points represent.
        const { endpoint: _, ...columns } = points;
        const second = Uint32Array.from(points.second.keys());
        const windowSeconds = points.bucket
          .slice(0, second.length)
          .map((bucket) => 1 + (bucket % 9));
        const isWindowed =
          windowSeconds.length === second.length && windowSeconds.some((s) => s > 1);
        const own = { ...columns, second, ...(isWindowed ? { windowSeconds } : {}) };
        const report = {
          about: { name: "</script>" },
          endpoints: [
            { endpoint: { label: "a" }, points: own },
            { endpoint: { label: "b" }, points: own },
          ],
          failures: failed,
          users: active,
          measures: mergeMeasures([measureTable(measured)]),
        };
        expect(unpackReports(packed(report))).toEqual([report]);
      },
    ),
    { numRuns: 50 },
  );
});

test("bytes after the last number are refused", () => {
  const nothing = {
    about: {},
    endpoints: [],
    failures: failureTable([]),
    users: [],
    measures: NO_MEASURES,
  };
  const bytes = packed(nothing);
  expect(unpackReports(bytes)).toEqual([nothing]);
  expect(unpackReports(Buffer.concat([bytes, bytes]))).toEqual([nothing, nothing]);
  expect(() => unpackReports(Buffer.concat([bytes, Buffer.of(0)]))).toThrow(RangeError);
});

const TEMPLATE = "<title>__report_title__</title><script>__report_contents__</script>";

test.each([...HOSTILE_LABELS, "</title>", "<!--", "\u2028", "$& $' $1", "__report_contents__"])(
  "%j in a title and in a report is only text",
  (text) => {
    const endpoint = { label: text };
    const report = {
      about: { name: text },
      endpoints: [{ endpoint, points: NO_POINTS }],
      failures: failureTable([]),
      users: [],
      measures: NO_MEASURES,
    };
    const html = reportHtml(TEMPLATE, text, packed(report));
    const [, title = "", contents = ""] =
      /^<title>([^<>]*)<\/title><script>([A-Za-z0-9+/=]*)<\/script>$/.exec(html) ?? [];
    expect(unescaped(title)).toBe(text);
    expect(unpackReports(Buffer.from(contents, "base64"))).toEqual([report]);
  },
);

test("a built page without its markers is an internal error", () => {
  expect(() => reportHtml("<title></title>", "a", new Uint8Array())).toThrow(/^BUG: /);
});

const NO_POINTS = {
  second: new Uint32Array(0),
  requests: new Float64Array(0),
  elapsedMicros: new Float64Array(0),
  receivedBytes: new Float64Array(0),
  failedRequests: new Float64Array(0),
  failedElapsedMicros: new Float64Array(0),
  failedReceivedBytes: new Float64Array(0),
  minMicros: new Float64Array(0),
  maxMicros: new Float64Array(0),
  bucketsFrom: new Uint32Array(1),
  bucket: new Uint16Array(0),
  bucketCount: new Float64Array(0),
};

function unescaped(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}
