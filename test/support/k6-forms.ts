/** The same samples as each output of k6 writes them. */

import { k6Csv } from "../../src/decode/k6/k6-csv.ts";
import { k6Json } from "../../src/decode/k6/k6-json.ts";
import { lineProtocol } from "../../src/decode/line-protocol/line-protocol.ts";
import type { Format } from "../../src/decode/decoder.ts";

export interface K6Sample {
  readonly metric: string;
  readonly value: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly unixMillis: number;
}

const COLUMNS =
  "check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url".split(
    ",",
  );

const csvField = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const escaped = (text: string): string => text.replaceAll(/[,= ]/g, String.raw`\$&`);

function csvOf(samples: readonly K6Sample[]): string {
  const header = `metric_name,timestamp,metric_value,${COLUMNS.join(",")},extra_tags,metadata`;
  const rows = samples.map(({ metric, value, tags, unixMillis }) => {
    const extra = Object.entries(tags).filter(([name]) => !COLUMNS.includes(name));
    const columns = COLUMNS.map((name) => csvField(tags[name] ?? ""));
    const pairs = extra.map((pair) => pair.join("=")).join("&");
    return [metric, unixMillis, value.toFixed(6), ...columns, pairs, ""].join(",");
  });
  return [header, ...rows, ""].join("\n");
}

function jsonOf(samples: readonly K6Sample[]): string {
  const lines = samples.map(({ metric, value, tags, unixMillis }) => {
    const time = new Date(unixMillis).toISOString();
    return JSON.stringify({ metric, type: "Point", data: { time, value, tags } });
  });
  return [...lines, ""].join("\n");
}

/** `url` is a field, and empty tags are left out. */
function linesOf(samples: readonly K6Sample[]): string {
  const lines = samples.map(({ metric, value, tags: { url, ...tags }, unixMillis }) => {
    const pairs = Object.entries(tags).filter(([, text]) => text !== "");
    const head = [metric, ...pairs.map(([name, text]) => `${name}=${escaped(text)}`)].join(",");
    const field = url === undefined ? "" : `url="${url}",`;
    return `${head} ${field}value=${value} ${unixMillis}000000\n`;
  });
  return lines.join("");
}

export const K6_FORMS: readonly [
  name: string,
  format: Format,
  write: (samples: readonly K6Sample[]) => string,
][] = [
  ["JSON", k6Json, jsonOf],
  ["CSV", k6Csv, csvOf],
  ["InfluxDB lines", lineProtocol, linesOf],
];
