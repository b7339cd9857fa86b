import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";

/**
 * Metrics of k6's browser module with their declaration and values: internal/js/modules/k6/browser/k6ext/metrics.go in 1.8.1
 * (without FID since 2.0). A web vital has the tags `url` and `rating`.
 */
const VITALS = [
  { name: "browser_web_vital_cls", contains: "default", unit: "", values: [0.0125, 0.3] },
  { name: "browser_web_vital_fcp", contains: "time", unit: "ms", values: [412.9, 1900.1] },
  { name: "browser_web_vital_fid", contains: "time", unit: "ms", values: [1.2, 9.4] },
  { name: "browser_web_vital_inp", contains: "time", unit: "ms", values: [8, 264] },
  { name: "browser_web_vital_lcp", contains: "time", unit: "ms", values: [812.4, 2612] },
  { name: "browser_web_vital_ttfb", contains: "time", unit: "ms", values: [31.7, 820] },
] as const;
const RATINGS = ["good", "needs-improvement"] as const;
const URL = "https://shop.example/?a=1";
const SECOND = 1_795_232_665;

const json = VITALS.flatMap(({ name, contains, values }) => [
  JSON.stringify({ type: "Metric", data: { name, type: "trend", contains }, metric: name }),
  ...values.map((value, at) =>
    JSON.stringify({
      metric: name,
      type: "Point",
      data: {
        time: "2026-11-21T03:44:25.5Z",
        value,
        tags: { group: "", scenario: "ui", url: URL, rating: RATINGS[at] },
      },
    }),
  ),
]);

const HEADER =
  "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata";
const csv = VITALS.flatMap(({ name, values }) =>
  values.map((value, at) => {
    const rating = `rating=${RATINGS[at]}`;
    return `${name},${SECOND}500,${value.toFixed(6)},,,,,,,,,ui,,,,,${URL},${rating},`;
  }),
);

test.each([
  ["JSON", k6Json, json],
  ["CSV", k6Csv, [HEADER, ...csv]],
] as const)(
  "web vitals in %s are distributions by scenario and rating, CLS without a unit",
  (_name, format, lines) => {
    const { measured, rejections } = decodeSource(format, [...lines, ""].join("\n"));
    expect(rejections).toEqual([]);
    const got = measured?.all.map(
      ({ label, name, unit, kind, tags, count, sum, min, max, seconds }) => {
        return [label, name, unit, kind, tags, count, sum, min, max, seconds[0]?.[0]];
      },
    );
    expect(got).toEqual(
      VITALS.flatMap(({ name, unit, values }) =>
        values.map((value, at) => {
          const tags = { scenario: "ui", rating: RATINGS[at] };
          return [undefined, name, unit, "distribution", tags, 1, value, value, value, SECOND];
        }),
      ),
    );
  },
);
