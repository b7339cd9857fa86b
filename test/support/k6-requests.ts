/**
 * k6 requests, the files that k6 would write for them, and the samples expected from those files.
 */

import * as fc from "fast-check";
import type { DecodedSample } from "./decode-source.ts";

export interface K6Request {
  /** `undefined`: k6 was configured to omit the tag. */
  readonly name: string | undefined;
  readonly url: string;
  readonly endedAtNanos: bigint;
  /** Milliseconds as digits. */
  readonly duration: string;
  readonly expected: "true" | "false" | undefined;
  readonly error: string;
  readonly status: number;
  /** The sample of `http_req_failed`; `undefined`: none. */
  readonly failed: 0 | 1 | undefined;
  /** How many samples of other metrics follow it. */
  readonly others: number;
}

export type K6TimeFormat = "unix" | "unix_milli" | "unix_micro" | "unix_nano" | "rfc3339_nano";

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(
    "home",
    "http_req_duration",
    'a "b", c',
    "a\nhttp_req_duration,1,2",
    "&<>\\u0026",
  ),
  fc.constantFrom("商品 😀", "\\", '\\"', "__proto__", " blanks ", "\r\n", "x".repeat(300)),
);

const duration = fc
  .tuple(fc.oneof(fc.nat(9), fc.nat(5000), fc.nat(10 ** 8)), fc.stringMatching(/^(?:\.\d{1,9})?$/))
  .map(([whole, fraction]) => `${whole}${fraction}`);

export const k6Requests: fc.Arbitrary<readonly K6Request[]> = fc.array(
  fc.record({
    name: fc.option(text, { nil: undefined }),
    url: text,
    endedAtNanos: fc.bigInt({ min: (1_000_000_000n ** 2n * 15n) / 10n, max: 4n * 10n ** 18n }),
    duration,
    expected: fc.constantFrom("true", "true", "false", undefined),
    error: fc.constantFrom("", "", "", "EOF", 'dial: "refused", port 1'),
    status: fc.constantFrom(200, 200, 302, 404, 500, 0),
    failed: fc.constantFrom(0, 1, undefined),
    others: fc.nat(3),
  }),
  { maxLength: 12 },
);

/** The sample expected for a request whose end time was written in multiples of `unitNanos`. */
export function sampleOf(request: K6Request, unitNanos: bigint): DecodedSample {
  const [whole = "", fraction = ""] = request.duration.split(".");
  const scale = 10n ** BigInt(fraction.length);
  const elapsed = BigInt(whole) * scale + BigInt(`0${fraction}`);
  const ended = (request.endedAtNanos / unitNanos) * unitNanos;
  return {
    label: (request.name === undefined || request.name === ""
      ? request.url
      : request.name
    ).toWellFormed(),
    second: Number((ended * scale - elapsed * 1_000_000n) / (scale * 1_000_000_000n)),
    elapsedMicros: Number((elapsed * 2000n + scale) / (2n * scale)),
    receivedBytes: 0,
    requests: 1,
    failedRequests: hasFailed(request) ? 1 : 0,
  };
}

function hasFailed({ expected, error, status, failed }: K6Request): boolean {
  if (expected === "false" || error !== "" || failed === 1) return true;
  if (expected !== undefined || failed !== undefined) return false;
  return status === 0 || status >= 400;
}

const COLUMNS = ["metric_name", "timestamp", "metric_value"];
const TAGS = ["error", "expected_response", "group", "name", "status", "url", "extra_tags"];

export interface CsvStyle {
  readonly time: K6TimeFormat;
  /** Quotes every field, as some tools do when they save a file again. */
  readonly quoted?: boolean;
  /** The columns in reverse order. */
  readonly reversed?: boolean;
  readonly lineEnd?: "\n" | "\r\n";
}

/** A CSV file as k6 writes it, with the columns of `TAGS`. */
export function csvOf(requests: readonly K6Request[], style: CsvStyle): string {
  const rows: string[][] = [[...COLUMNS, ...TAGS]];
  for (const request of requests) {
    const time = timeOf(request.endedAtNanos, style.time);
    const tags = tagsOf(request);
    const row = (metric: string, value: string) => [
      metric,
      time,
      value,
      ...TAGS.map((tag) => tags[tag] ?? ""),
    ];
    rows.push(row("http_reqs", "1.000000"), row("http_req_duration", request.duration));
    for (let other = 0; other < request.others; other++) rows.push(row(`custom_${other}`, "-1.5"));
    if (request.failed !== undefined) rows.push(row("http_req_failed", `${request.failed}.000000`));
  }
  const end = style.lineEnd ?? "\n";
  return rows
    .map((row) => csvLine(style.reversed === true ? row.toReversed() : row, style) + end)
    .join("");
}

function csvLine(row: readonly string[], { quoted = false }: CsvStyle): string {
  return row
    .map((field) =>
      quoted || /[",\r\n]|^\s/.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
    )
    .join(",");
}

export type JsonStyle = "metric first" | "metric last" | "blanks" | "other order" | "all escaped";

/** A JSON file as k6 writes it, in one of its forms or an equivalent one. */
export function jsonOf(requests: readonly K6Request[], style: JsonStyle): string {
  const lines: string[] = [
    jsonLine({ type: "Metric", data: { name: "vus" }, metric: "vus" }, style),
  ];
  for (const request of requests) {
    const time = timeOf(request.endedAtNanos, "rfc3339_nano");
    const tags = tagsOf(request);
    const point = (metric: string, value: string) =>
      lines.push(pointLine(metric, { time, value, tags }, style));
    point("http_reqs", "1");
    point("http_req_duration", request.duration);
    for (let other = 0; other < request.others; other++) point(`custom_${other}`, "-1.5e-07");
    if (request.failed !== undefined) point("http_req_failed", `${request.failed}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

interface PointData {
  readonly time: string;
  readonly value: string;
  readonly tags: Readonly<Record<string, string | undefined>>;
}

function pointLine(metric: string, { time, value, tags }: PointData, style: JsonStyle): string {
  // Replaced afterwards, because a number would lose its digits.
  const digits = "DIGITS-OF-THE-VALUE";
  const data = { time, value: digits, tags };
  const point = {
    "metric first": { metric, type: "Point", data },
    "metric last": { type: "Point", data, metric },
    blanks: { metric, type: "Point", data },
    "other order": { data: { tags, value: digits, time }, metric, type: "Point" },
    "all escaped": { metric, type: "Point", data: { ...data, metadata: { vu: "1" } } },
  }[style];
  return jsonLine(point, style).replace(JSON.stringify(digits), value);
}

function jsonLine(value: unknown, style: JsonStyle): string {
  const line = JSON.stringify(value, undefined, style === "blanks" ? " " : undefined).replaceAll(
    "\n",
    " ",
  );
  if (style !== "all escaped") return line.replaceAll("&", "\\u0026");
  return line.replaceAll(/[^ -~]|[&<>]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function tagsOf(request: K6Request): Record<string, string | undefined> {
  return {
    error: request.error === "" ? undefined : request.error,
    expected_response: request.expected,
    group: "",
    name: request.name,
    status: `${request.status}`,
    url: request.url,
  };
}

const DIGITS = { unix: 10, unix_milli: 13, unix_micro: 16, unix_nano: 19 };

function timeOf(nanos: bigint, format: K6TimeFormat): string {
  if (format !== "rfc3339_nano") return `${nanos}`.slice(0, DIGITS[format]);
  // Local time at +05:30.
  const shown = new Date(Number(nanos / 1_000_000n) + 19_800_000).toISOString().slice(0, 19);
  const parts = `${nanos % 1_000_000_000n}`.padStart(9, "0").replace(/0+$/, "");
  return `${shown}${parts === "" ? "" : `.${parts}`}+05:30`;
}

/** Nanoseconds of the last digit that a format writes. */
export const UNIT_NANOS: Readonly<Record<K6TimeFormat, bigint>> = {
  unix: 1_000_000_000n,
  unix_milli: 1_000_000n,
  unix_micro: 1000n,
  unix_nano: 1n,
  rfc3339_nano: 1n,
};
