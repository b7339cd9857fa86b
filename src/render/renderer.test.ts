import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type PlainPoint, columnsOf, plainItem } from "../../test/support/plain-metrics.ts";
import type { SumColumns } from "../model/data-points.ts";
import { csvRenderer, defaultRenderer, xyRenderer } from "./csv.ts";
import { type Renderer, OutputBuffer } from "./renderer.ts";
import { randomCases } from "../../test/support/random-cases.ts";

const renderers = [csvRenderer, xyRenderer, defaultRenderer];
const sum = fc.oneof(fc.nat(3000), fc.nat(2 ** 31 - 1), fc.maxSafeNat(), fc.constant(2 ** 53 - 1));

const second = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 3000 }),
  fc.integer({ min: 1_699_999_990, max: 1_700_002_010 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);

const point: fc.Arbitrary<PlainPoint> = fc
  .record({
    second,
    requests: fc.oneof(fc.integer({ min: 1, max: 200 }), sum).map((count) => Math.max(1, count)),
    elapsedMicros: sum,
    receivedBytes: sum,
    failures: fc.constantFrom<"none" | "some" | "all">("none", "some", "all"),
  })
  .map(({ failures, ...all }) => {
    const part = (value: number): number =>
      failures === "none" ? 0 : failures === "all" ? value : Math.ceil(value / 3);
    return {
      ...all,
      failedRequests: part(all.requests),
      failedElapsedMicros: part(all.elapsedMicros),
      failedReceivedBytes: part(all.receivedBytes),
    };
  });

const points = fc
  .uniqueArray(point, { selector: (one) => one.second, maxLength: 40 })
  .map((some) => some.toSorted((left, right) => left.second - right.second));

const label = fc.oneof(
  fc.constantFrom(
    "",
    "__proto__",
    "constructor",
    "1",
    '"',
    "\\",
    "\n\u0000\u001F",
    "\u2028",
    "</script>",
  ),
  fc.string({ unit: "grapheme", maxLength: 30 }),
);

test.each(renderers)("$format equals a naive rendering for any points and labels", (renderer) => {
  fc.assert(
    fc.property(label, points, fc.constantFrom(1, 7, 3600, 2 ** 32 - 1), (text, some, seconds) => {
      expect(rendered(renderer, [[text, some]], seconds)).toBe(
        plainItem(text, some, renderer.format, seconds),
      );
    }),
    { numRuns: randomCases(300) },
  );
});

test.each(renderers)("$format splits long responses anywhere without changing them", (renderer) => {
  const everySecond = Array.from({ length: 2500 }, (_, index) => ({
    second: index === 0 ? 0 : 1_700_000_000 + index * 3,
    requests: index + 1,
    elapsedMicros: index * 1_234_567,
    receivedBytes: 2 ** 40 - index,
    failedRequests: index % 3,
    failedElapsedMicros: (index % 3) * 777,
    failedReceivedBytes: index % 3,
  }));
  const items: Item[] = Array.from({ length: 12 }, (_, index) => [
    "\u0001".repeat(1024 - index),
    everySecond.slice(0, 2500 - index * 200),
  ]);
  const expected = items.map(([text, some]) => plainItem(text, some, renderer.format));
  expect(rendered(renderer, items, 1)).toBe(expected.join(""));
});

// 600 requests in a window of 10 s, as Artillery writes them.
test.each([
  { secondsPerPoint: 1, perSecond: 60 },
  { secondsPerPoint: 10, perSecond: 60 },
  { secondsPerPoint: 60, perSecond: 10 },
  { secondsPerPoint: 100_000, perSecond: 0.006 },
])("in points of $secondsPerPoint s, windows have $perSecond requests/s", (given) => {
  const { secondsPerPoint, perSecond } = given;
  const at = 1_700_000_040;
  const none = { failedRequests: 0, failedElapsedMicros: 0, failedReceivedBytes: 0 };
  const window = { second: at, requests: 600, elapsedMicros: 1, receivedBytes: 0, ...none };
  const columns = { ...columnsOf([window]), windowSeconds: Uint16Array.of(10) };
  expect(dataOf(xyRenderer, columns, secondsPerPoint)).toMatchObject({
    pageReqPerSec: [{ x: at, y: perSecond }],
  });
});

// 40 requests in the 10 s from second 100 on, and one in second 105 that another source has alone: 41 in 10 s.
test.each([xyRenderer, defaultRenderer])(
  "the range of $format ends with the last window, wherever it begins",
  (renderer) => {
    const none = { failedRequests: 0, failedElapsedMicros: 0, failedReceivedBytes: 0 };
    const sums = { elapsedMicros: 1, receivedBytes: 0, ...none };
    const some = [
      { second: 100, requests: 40, ...sums },
      { second: 105, requests: 1, ...sums },
    ];
    const columns = { ...columnsOf(some), windowSeconds: Uint16Array.of(10, 1) };
    expect(dataOf(renderer, columns)).toMatchObject({ overview: { count: "41", range: 10 } });
  },
);

test("averages are of the requests that have a time", () => {
  const at = 1_700_000_000;
  const some = { second: at, requests: 4, elapsedMicros: 6_000_000, receivedBytes: 8 };
  const failed = { failedRequests: 3, failedElapsedMicros: 1_000_000, failedReceivedBytes: 6 };
  const columns = {
    ...columnsOf([{ ...some, ...failed }]),
    untimedRequests: Float64Array.of(2),
    untimedFailedRequests: Float64Array.of(1),
  };
  const [csv, xy] = [csvRenderer, xyRenderer].map((renderer) => dataOf(renderer, columns));
  expect(csv).toEqual([expect.anything(), [String(at), "3", "4", "2", "0.5", "3", "2"]]);
  expect(xy).toMatchObject({
    pageRespTimePerSec: [{ x: at, y: 3 }],
    pageErrRespTime: [{ x: at, y: 0.5 }],
  });
});

test.each(renderers)("two responses in $format at once do not disturb each other", (renderer) => {
  const items = [1, 2].map((requests): Item => {
    const sums = { requests, elapsedMicros: 1e12, receivedBytes: 1e12 + requests };
    const none = { failedRequests: 0, failedElapsedMicros: 0, failedReceivedBytes: 0 };
    // Longer than what the kernel loads at once.
    const some = Array.from({ length: 9000 }, (_, index) => ({ second: index, ...sums, ...none }));
    return [String(requests), some];
  });
  const open = items.map(([text, some]) => {
    const output = new OutputBuffer();
    const hash = createHash("sha1").update(text).digest("hex");
    const endpoint = { label: text, hash, columns: columnsOf(some), secondsPerPoint: 1 };
    return { output, steps: renderer.render(endpoint, output)[Symbol.iterator](), written: "" };
  });
  for (let left = open; left.length > 0;) {
    left = left.filter((response) => {
      const { done, value } = response.steps.next();
      response.written += Buffer.from(done === true ? response.output.take() : value).toString();
      return done !== true;
    });
  }
  for (const [index, [text, some]] of items.entries()) {
    expect(open[index]?.written === plainItem(text, some, renderer.format)).toBe(true);
  }
});

test("an overview over sums beyond 2^53 is exact", () => {
  const huge = {
    requests: 2 ** 53 - 1,
    elapsedMicros: 2 ** 53 - 1,
    receivedBytes: 2 ** 53 - 1,
    failedRequests: 2 ** 53 - 1,
    failedElapsedMicros: 2 ** 53 - 1,
    failedReceivedBytes: 0,
  };
  const text = rendered(
    xyRenderer,
    [
      [
        "",
        [
          { second: 1, ...huge },
          { second: 9, ...huge },
        ],
      ],
    ],
    1,
  );
  expect(JSON.parse(text).data.overview).toEqual({
    avgLoadTime: "0.000001",
    count: "18014398509481982",
    downloadSize: "1",
    errAvgLoadTime: "0.000001",
    errCount: "18014398509481982",
    errDownloadSize: "0",
    range: 9,
  });
});

test("the three formats of a small endpoint, written by hand", () => {
  const some: PlainPoint[] = [
    {
      second: 0,
      requests: 1,
      elapsedMicros: 500_000,
      receivedBytes: 1,
      failedRequests: 0,
      failedElapsedMicros: 0,
      failedReceivedBytes: 0,
    },
    {
      second: 1_700_000_000,
      requests: 3,
      elapsedMicros: 2_576_703,
      receivedBytes: 2048,
      failedRequests: 1,
      failedElapsedMicros: 10_000_000,
      failedReceivedBytes: 512,
    },
  ];
  expect(JSON.parse(rendered(csvRenderer, [["a", some]], 1))).toEqual({
    hash: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
    label: "a",
    data: [
      [
        "Timestamp",
        "avgLoadTime",
        "count",
        "downloadSize",
        "errAvgLoadTime",
        "errCount",
        "errDownloadSize",
      ],
      ["0", "0.5", "1", "1", "0", "0", "0"],
      ["1700000000", "0.858901", "3", "682.666667", "10", "1", "512"],
    ],
  });
  const overview = {
    avgLoadTime: "0.769176",
    count: "4",
    downloadSize: "512.25",
    errAvgLoadTime: "10",
    errCount: "1",
    errDownloadSize: "512",
    range: 1,
  };
  expect(JSON.parse(rendered(xyRenderer, [["a", some]], 1)).data).toEqual({
    overview,
    labels: [1700000000],
    pageRespTimePerSec: [{ x: 1700000000, y: 0.858901 }],
    pageReqPerSec: [{ x: 1700000000, y: 3 }],
    pageKbPerSec: [{ x: 1700000000, y: 2 }],
    pageErrRespTime: [{ x: 1700000000, y: 10 }],
    pageErrCount: [{ x: 1700000000, y: 1 }],
    pageErrKb: [{ x: 1700000000, y: 0.5 }],
  });
  expect(JSON.parse(rendered(defaultRenderer, [["a", some]], 1)).data).toEqual({
    overview,
    labels: [1700000000],
    pageRespTimePerSec: { 1700000000: 0.858901 },
    pageReqPerSec: { 1700000000: 3 },
    pageKbPerSec: { 1700000000: 2 },
    pageErrRespTime: { 1700000000: "10" },
    pageErrCount: { 1700000000: 1 },
    pageErrKb: { 1700000000: 0.5 },
  });
});

type Item = [label: string, points: readonly PlainPoint[]];

function dataOf(renderer: Renderer, columns: SumColumns, secondsPerPoint = 1): unknown {
  const output = new OutputBuffer();
  const endpoint = { label: "", hash: "", columns, secondsPerPoint };
  expect([...renderer.render(endpoint, output)]).toEqual([]);
  return (JSON.parse(Buffer.from(output.take()).toString()) as { data: unknown }).data;
}

/** Writes all items through one buffer, as a response is written. */
function rendered(renderer: Renderer, items: readonly Item[], secondsPerPoint: number): string {
  const output = new OutputBuffer();
  const pieces: Buffer[] = [];
  for (const [text, some] of items) {
    const hash = createHash("sha1").update(text).digest("hex");
    const endpoint = { label: text, hash, columns: columnsOf(some), secondsPerPoint };
    for (const piece of renderer.render(endpoint, output)) pieces.push(Buffer.from(piece));
  }
  pieces.push(Buffer.from(output.take()));
  return Buffer.concat(pieces).toString("utf8");
}
