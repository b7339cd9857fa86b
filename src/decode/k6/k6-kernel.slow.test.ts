import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import {
  csvOf,
  type JsonStyle,
  jsonOf,
  type K6Request,
  k6Requests,
  type K6TimeFormat,
} from "../../../test/support/k6-requests.ts";
import { UserError } from "../../model/errors.ts";
import type { DecodeOptions, Format } from "../decoder.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

/** Shorter than any line, so that every line takes the slow path. */
const SHORT_PIECES = [5, 3];

/** Later requests of the same addresses: their tags come again. */
function repeated(requests: readonly K6Request[], times: number): K6Request[] {
  return Array.from({ length: times }, (_, round) =>
    requests.map((request) => ({
      ...request,
      endedAtNanos: request.endedAtNanos + BigInt(round) * 12_345_678_901n,
    })),
  ).flat();
}

const files = fc
  .record({
    requests: k6Requests,
    times: fc.integer({ min: 2, max: 4 }),
    time: fc.constantFrom<K6TimeFormat>("unix", "unix_milli", "unix_nano", "rfc3339_nano"),
    lineEnd: fc.constantFrom("\n" as const, "\r\n" as const),
    style: fc.constantFrom<JsonStyle>("metric first", "metric first", "all escaped", "metric last"),
    isCsv: fc.boolean(),
  })
  .map(({ requests, times, time, lineEnd, style, isCsv }) => {
    const all = repeated(requests, times);
    return isCsv
      ? { format: k6Csv, text: csvOf(all, { time, lineEnd }) }
      : { format: k6Json, text: jsonOf(all, style) };
  });

/** Takes bytes out, and puts others in. */
const change = fc.record({
  at: fc.nat(100_000),
  takenOut: fc.constantFrom(0, 0, 1, 1, 3, 150),
  putIn: fc.oneof(
    fc.uint8Array({ maxLength: 2 }),
    fc
      .constantFrom("0", "9", ".", ",", '"', "\n", "\r", "\0\0", '"value":7,', "http_req_duration,")
      .map((each) => Uint8Array.from(Buffer.from(each))),
  ),
});

const options = fc.constantFrom<Partial<DecodeOptions>>(
  {},
  {},
  { labels: { labelsMax: 3 } },
  { labelTemplate: "{status} {name}" },
);

test("the kernel reads what the exact reader reads, damaged or not, with any chunk size", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(
      files,
      fc.array(change, { maxLength: 4 }),
      sizes,
      options,
      ({ format, text }, changes, pieces, wanted) => {
        const bytes = changed(text, changes);
        const exact = outcomeOf(format, bytes, wanted, SHORT_PIECES);
        expect(outcomeOf(format, bytes, wanted)).toEqual(exact);
        expect(outcomeOf(format, bytes, wanted, pieces)).toEqual(exact);
      },
    ),
    { numRuns: randomCases(400) },
  );
});

function changed(
  text: string,
  changes: readonly { at: number; takenOut: number; putIn: Uint8Array }[],
): Buffer {
  let bytes = Buffer.from(text);
  for (const { at, takenOut, putIn } of changes) {
    const from = at % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, from), putIn, bytes.subarray(from + takenOut)]);
  }
  return bytes;
}

function outcomeOf(
  format: Format,
  bytes: Uint8Array,
  wanted: Partial<DecodeOptions>,
  pieces?: readonly number[],
): unknown {
  try {
    return decodeSource(format, bytes, pieces, { timeZone: "UTC", ...wanted });
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** Row `r` takes `r` modulo 1,000 ms and a quarter, and every seventh has failed. */
function expectSamples(
  samples: ReturnType<typeof decodeSource>["samples"],
  labels: readonly string[],
): void {
  expect(samples.map(({ label }) => label)).toEqual(labels);
  expect(samples.map(({ elapsedMicros }) => elapsedMicros)).toEqual(
    labels.map((_, row) => (row % 1000) * 1000 + 250),
  );
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual(
    labels.map((_, row) => Number(row % 7 === 0)),
  );
}

test.each([
  ["tags", ""],
  ["URLs", ",url"],
])("reads more %s than the kernel has room for, and more rows than a batch", (_what, url) => {
  const labels = Array.from({ length: 60_000 }, (_, row) => `page ${(row * 7919) % 40_000}`);
  const lines = labels.flatMap((name, row) => {
    const tags = `${name},200${url === "" ? "" : `,https://shop.example/${row}`}`;
    return [
      `http_reqs,1795232665,1.000000,${tags}`,
      `http_req_duration,1795232665,${row % 1000}.25,${tags}`,
      `http_req_failed,1795232665,${Number(row % 7 === 0)}.000000,${tags}`,
    ];
  });
  const { samples, failures } = decodeSource(
    k6Csv,
    [`metric_name,timestamp,metric_value,name,status${url}`, ...lines, ""].join("\n"),
  );
  expectSamples(samples, labels);
  expect(failures.map(({ label }) => label)).toEqual(labels.filter((_, row) => row % 7 === 0));
});

test("the kernel sums up measures as the exact reader does: large sums, rates, refused series, minutes in turns", () => {
  const labels = 2100;
  const lines = Array.from({ length: 3 * labels }, (_, row) => {
    const [second, name] = [1_795_232_665 + (row % 5) * 37, `page ${row % labels}`];
    return [
      `http_req_duration,${second},1.5,${name},200,`,
      `http_req_blocked,${second},${row % 7}.00${row % 10}1,${name},200,`,
      `data_received,${second},${999_000 + (row % 999)}.000000,,,`,
      `checks,${second},${row % 3}.000000,,,is ${row % 4}`,
      `iteration_duration,${second},${row % 11 === 0 ? 1e6 : 0}.125,,,`,
    ];
  });
  const text = ["metric_name,timestamp,metric_value,name,status,check", ...lines.flat(), ""].join(
    "\n",
  );
  const { measures } = decodeSource(k6Csv, text);
  expect(measures).toEqual(decodeSource(k6Csv, text, SHORT_PIECES).measures);
  const { series = [], unstored } = measures ?? {};
  expect(series).toHaveLength(2000);
  // All but those of the load test (blocked, received, iterations, four checks) are of endpoints.
  expect(unstored?.series).toBe(3 * (labels - (2000 - 7)));
});

test("reads tags of which most never come again", () => {
  const labels = Array.from({ length: 170_000 }, (_, row) => `page ${row % 10 === 0 ? 0 : row}`);
  const lines = labels.map(
    (name, row) => `http_req_duration,1795232665,${row % 1000}.25,${name},${row % 7 ? 200 : 500}`,
  );
  const { samples, measures } = decodeSource(
    k6Csv,
    ["metric_name,timestamp,metric_value,name,status", ...lines, ""].join("\n"),
  );
  expectSamples(samples, labels);
  expect(measures).toBeUndefined();
});

test("the cost per odd line is constant, however many there are", () => {
  const [few, many] = [oddLines(500), oddLines(8000)];
  decodeMicros(many);
  const fewest = (source: string): number =>
    Math.min(...Array.from({ length: 5 }, () => decodeMicros(source)));
  expect(fewest(many) / fewest(few)).toBeLessThan(16 * 4);
});

function oddLines(lines: number): string {
  const line = `http_req_duration,soon,1.0,${"n".repeat(150)}\n`;
  return `metric_name,timestamp,metric_value,name\n${line.repeat(lines)}`;
}

function decodeMicros(source: string): number {
  const begin = process.cpuUsage();
  expect(decodeSource(k6Csv, source).rejections.length).toBeGreaterThan(0);
  const { user, system } = process.cpuUsage(begin);
  return user + system;
}

test("names and URLs that are new in each line are read as they are written", () => {
  const written: readonly (readonly [name: string, label: string])[] = [
    ["/a", "/a"],
    ["/商品/1", "/商品/1"],
    ['"/b"', "/b"],
    ['"/c,d"', "/c,d"],
    ['"/e""f"', '/e"f'],
    ['/g"h', '/g"h'],
    ["/i\r", "/i\r"],
    // Bytes that are not UTF-8: one label.
    ["/\xff", "/\ufffd"],
    ["/\xfe", "/\ufffd"],
    ["", "/9"],
    [`/${"x".repeat(1024)}`, expect.stringMatching(/^\/x{1008}…\w{12}$/) as string],
    ["/a", "/a"],
  ];
  const head = "metric_name,timestamp,metric_value,name,status,url\n";
  const lines = written.map(([name], row) =>
    Buffer.from(
      `http_req_duration,1795232665,1,${name},200,/${row}\n`,
      /[\xfe\xff]/.test(name) ? "latin1" : "utf8",
    ),
  );
  const { samples, repairs } = decodeSource(k6Csv, Buffer.concat([Buffer.from(head), ...lines]));
  expect(samples.map(({ label }) => label)).toEqual(written.map(([, label]) => label));
  expect(repairs?.map(({ kind, line }) => [kind, line])).toEqual([["label-shortened", 12]]);
});
