import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import type { Format } from "../decoder.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";

interface Line {
  readonly metric: string;
  readonly value: string;
  readonly tags?: Readonly<Record<string, string>>;
}

const COLUMNS = ["error", "error_code", "expected_response", "name", "status"];

function csvOf(lines: readonly Line[]): string {
  const rows = lines.map(({ metric, value, tags = {} }) =>
    [metric, "1700000000", value, ...COLUMNS.map((name) => tags[name] ?? "")]
      .map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
      .join(","),
  );
  return [["metric_name", "timestamp", "metric_value", ...COLUMNS].join(","), ...rows, ""].join(
    "\n",
  );
}

function jsonOf(lines: readonly Line[]): string {
  const time = "2023-11-14T22:13:20Z";
  return lines
    .map(({ metric, value, tags = {} }) => {
      const data = JSON.stringify({ time, value: Number(value), tags });
      return `{"metric":"${metric}","type":"Point","data":${data}}\n`;
    })
    .join("");
}

const OUTPUTS: readonly [string, Format, (lines: readonly Line[]) => string][] = [
  ["csv", k6Csv, csvOf],
  ["json", k6Json, jsonOf],
];

function request(tags: Readonly<Record<string, string>>): Line {
  return { metric: "http_req_duration", value: "0", tags: { name: "a", ...tags } };
}

function failed(code: string, message = "") {
  return { label: "a", second: 1_700_000_000, kind: { code, message }, requests: 1 };
}

test.each(OUTPUTS)("reads failure reasons in %s", (_name, format, write) => {
  const { failures } = decodeSource(
    format,
    write([
      request({ status: "200", expected_response: "true" }),
      request({ status: "404", error_code: "1404", expected_response: "false" }),
      request({ status: "0", error_code: "1212", error: 'dial: "no", refused' }),
      request({ status: "503" }),
      { metric: "http_req_failed", value: "1", tags: { name: "a", status: "503" } },
      request({ status: "201" }),
      { metric: "http_req_failed", value: "1", tags: { name: "a", status: "201" } },
      request({ status: "404", error_code: "1404", expected_response: "true" }),
      { metric: "http_req_failed", value: "0", tags: { name: "a", status: "404" } },
    ]),
  );
  expect(failures).toEqual([
    failed("404"),
    failed("1212", 'dial: "no", refused'),
    failed("503"),
    failed("201"),
  ]);
});

test.each(OUTPUTS)("reads the virtual users of each second in %s", (_name, format, write) => {
  const { users, notes, samples } = decodeSource(
    format,
    write([
      { metric: "vus", value: "3" },
      { metric: "vus_max", value: "50" },
      request({ status: "200" }),
      { metric: "vus", value: "12.000000" },
    ]),
  );
  expect(users).toEqual([
    { generator: "", second: 1_700_000_000, active: 3 },
    { generator: "", second: 1_700_000_000, active: 12 },
  ]);
  expect(samples).toHaveLength(1);
  expect(notes.join()).not.toContain("vus");
});

test("user counts that cannot be read are counted", () => {
  const { users, notes, rejections } = decodeSource(
    k6Csv,
    csvOf([
      { metric: "vus", value: "many" },
      { metric: "vus", value: "-1" },
    ]),
  );
  expect([users, rejections]).toEqual([[], []]);
  expect(notes).toEqual(["samples of vus that could not be read: 2"]);
});
