import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { K6_FORMS, type K6Sample } from "../../../test/support/k6-forms.ts";

/** As k6 writes them for redirects of SAML and OAuth: grafana/k6 #1474. */
const longUrl = (id: number) => `https://idp.example/sso?id=${id}&SAMLRequest=${"a".repeat(2700)}`;
const BEGAN = 1_795_232_665_000;

const request = (id: number, value: number, hasFailed: boolean, name: string): K6Sample[] => {
  const tags = {
    expected_response: hasFailed ? "false" : "true",
    group: "",
    method: "GET",
    name,
    scenario: "default",
    status: hasFailed ? "500" : "200",
    url: name,
  };
  const at = { tags, unixMillis: BEGAN + 500 + id * 100 };
  return [
    { metric: "http_reqs", value: 1, ...at },
    { metric: "http_req_duration", value, ...at },
    { metric: "http_req_waiting", value: 7, ...at },
    { metric: "http_req_failed", value: hasFailed ? 1 : 0, ...at },
  ];
};

/** 40 requests, 10 of them failed, which have the two long names. */
const long = Array.from({ length: 40 }, (_, id) =>
  request(id, 12.5, id % 4 === 0, id % 4 === 0 ? longUrl(id % 8) : "https://idp.example/"),
).flat();

const shortened = (name: string): string =>
  `${name.slice(0, 1024 - 15)}…${createHash("sha256").update(name).digest("hex").slice(0, 12)}`;

const countsOf = ({ samples }: Decoded): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { label = "", failedRequests } of samples) {
    const key = `${label} ${failedRequests}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

test.each(K6_FORMS)("requests with long names in %s count, shortened", (_name, format, write) => {
  for (const sizes of [[], [101]]) {
    const decoded = decodeSource(format, write(long), sizes);
    expect(decoded.rejections).toEqual([]);
    expect(countsOf(decoded)).toEqual({
      [`${shortened(longUrl(0))} 1`]: 5,
      [`${shortened(longUrl(4))} 1`]: 5,
      "https://idp.example/ 0": 30,
    });
    const { repairs = [], measured, failures } = decoded;
    expect(repairs.map(({ kind }) => kind)).toEqual(
      Array.from({ length: 10 }, () => "label-shortened"),
    );
    // The second line, behind the header of CSV.
    const first = Number(repairs[0]?.line);
    expect(repairs.map(({ line, byte }) => [line - first, byte > 0])).toEqual(
      Array.from({ length: 10 }, (_, each) => [each * 16, true]),
    );
    expect(first).toBe(format.name === "k6-csv" ? 3 : 2);
    expect(repairs[0]?.reason).toMatch(/^the label is too long: got "https:\/\/idp/);
    expect(failures).toHaveLength(10);
    const waiting = measured?.all.filter(({ label }) => label === shortened(longUrl(0)));
    expect(waiting?.map(({ name, count }) => [name, count])).toEqual([["waiting", 5]]);
  }
});

/** grafana/k6 #588: durations below 0. */
const negative = [
  ...request(0, 20, false, "a"),
  ...request(1, -3.5, false, "a"),
  ...request(2, -3.5, true, "a"),
  ...request(3, 30, false, "a"),
];

test.each(K6_FORMS)("requests of a negative time in %s have no time", (_name, format, write) => {
  const { samples, windows, failures, repairs, rejections } = decodeSource(format, write(negative));
  expect(rejections).toEqual([]);
  expect(samples.map(({ elapsedMicros }) => elapsedMicros)).toEqual([20_000, 30_000]);
  expect(
    windows.map(({ second, label, untimedRequests, untimedFailedRequests, minMicros }) => {
      return [label, second, untimedRequests, untimedFailedRequests, minMicros];
    }),
  ).toEqual([
    ["a", BEGAN / 1000, 1, 0, undefined],
    ["a", BEGAN / 1000, 1, 1, undefined],
  ]);
  expect(failures.map(({ kind, requests }) => [kind?.code, requests])).toEqual([["500", 1]]);
  expect(repairs?.map(({ kind, reason }) => [kind, reason])).toEqual(
    Array.from({ length: 2 }, () => [
      "time-unknown",
      expect.stringMatching(/^cannot read the duration: got "-3\.50*", want milliseconds/),
    ]),
  );
});

test("without a duration and an outcome, it is rejected", () => {
  const point =
    '{"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-21T03:44:25Z","tags":{}}}';
  const [, format] = K6_FORMS[0] ?? [];
  if (format === undefined) throw new Error("no format");
  const { samples, windows, rejections } = decodeSource(format, `${point}\n`);
  expect([samples, windows]).toEqual([[], []]);
  expect(rejections.map(({ reason }) => reason)).toEqual([
    'cannot read the duration: got "", want milliseconds, at most 104 days',
  ]);
});

test.each(["q_failed", "reqs", "ration"])("a row of CSV that begins with %s is torn", (name) => {
  const write = K6_FORMS.find(([, format]) => format === k6Csv)?.[2];
  const lines = write?.(request(1, 5, true, "https://idp.example/").slice(0, 1)) ?? "";
  const { rejections } = decodeSource(k6Csv, lines.replace("http_reqs", name));
  expect(rejections.map(({ reason }) => reason)).toEqual([
    `cannot read the metric name: got "${name}", want one of k6`,
  ]);
});

test.each([
  ["whose tags are missing", /"tags"/, '"t,ags"', "there are no tags"],
  [
    "whose metric has a name that k6 does not allow",
    /http_req_duration/,
    "http_req,_duration",
    'cannot read the metric name: got "http_req,_duration", want one of k6',
  ],
])("a line of JSON %s is rejected", (_what, place, text, reason) => {
  const write = K6_FORMS.find(([, format]) => format === k6Json)?.[2];
  const lines = write?.(request(1, 5, true, "https://idp.example/").slice(1, 2)) ?? "";
  const { rejections } = decodeSource(k6Json, lines.replace(place, text));
  expect(rejections.map((rejection) => rejection.reason)).toEqual([reason]);
});

test("a metric of the script that JSON declares is never torn", () => {
  const declaration =
    '{"type":"Metric","data":{"name":"failed","type":"rate","contains":"default"},"metric":"failed"}';
  const write = K6_FORMS.find(([, format]) => format === k6Json)?.[2];
  const lines = write?.(request(1, 5, true, "https://idp.example/").slice(0, 1)) ?? "";
  const point = lines.replace("http_reqs", "failed");
  expect(point).toContain('"status"');
  expect(decodeSource(k6Json, point).rejections).toHaveLength(1);
  const { rejections, measured } = decodeSource(k6Json, `${declaration}\n${point}`);
  expect(rejections).toEqual([]);
  expect(measured?.all.map(({ name, kind }) => [name, kind])).toEqual([["failed", "rate"]]);
});
