/**
 * Writes a result file like those of a real k6 run, the same for the same options:
 *
 *     node bench/make-k6.ts --form json --requests 100000 > big.json
 *
 * `--form` is `csv`, `json` or `lines`.
 */

import { parseArgs } from "node:util";
import { seededRandom } from "./seeded-random.ts";

/** `lines` is the line protocol that k6 sends to InfluxDB 1. */
export type K6Form = "csv" | "json" | "lines";

export interface K6Options {
  readonly form: K6Form;
  readonly requests: number;
  /** @default 100 */
  readonly endpoints?: number;
  /** Share of requests that failed. @default 0.01 */
  readonly errors?: number;
  /** Seconds over which the requests are spread. @default 3600 */
  readonly seconds?: number;
  /** @default 1 */
  readonly seed?: number;
}

const FORMS: readonly K6Form[] = ["csv", "json", "lines"];

interface Sample {
  readonly metric: string;
  readonly endedAtNanos: bigint;
  readonly value: number;
  readonly tags: Readonly<Record<string, string>>;
}

const FIRST_NANOS = 1_795_232_665_000_000_000n;
const NANOS_PER_SECOND = 1_000_000_000;
const REQUESTS_PER_PIECE = 512;
const PLACES = ["home", "products", "search", "cart", "checkout", "login", "orders", "profile"];
const TYPES: Readonly<Record<string, string>> = {
  http_reqs: "counter",
  http_req_failed: "rate",
  checks: "rate",
  data_sent: "counter",
  data_received: "counter",
  iterations: "counter",
  vus: "gauge",
  vus_max: "gauge",
};
/** Columns of the CSV behind name, time and value. */
export const K6_CSV_TAGS =
  "check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata".split(
    ",",
  );

/** The file in pieces of a few hundred requests. */
export function* k6Pieces(options: K6Options): Generator<string> {
  const { form, requests, endpoints = 100, errors = 0.01, seconds = 3600, seed = 1 } = options;
  const random = seededRandom(seed);
  const urls = Array.from({ length: endpoints }, (_, index) => urlOf(index, random));
  const declared = new Set<string>();
  let piece = form === "csv" ? `metric_name,timestamp,metric_value,${K6_CSV_TAGS.join(",")}\n` : "";
  for (let request = 0; request < requests; request++) {
    const sinceStart = (request / requests) * seconds + random();
    const endedAtNanos = FIRST_NANOS + BigInt(Math.floor(sinceStart * NANOS_PER_SECOND));
    const url = urls[Math.floor(random() ** 2 * endpoints)] ?? "";
    const tags = tagsOf(url, random() < errors);
    for (const sample of samplesOf(request, endedAtNanos, tags, random)) {
      if (form === "csv") piece += csvLine(sample);
      else if (form === "lines") piece += protocolLine(sample);
      else piece += metricLine(sample.metric, declared) + jsonLine(sample);
    }
    if (request % REQUESTS_PER_PIECE === REQUESTS_PER_PIECE - 1) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

/** k6's samples of one request, and now and then those of an iteration and of the virtual users. */
function* samplesOf(
  request: number,
  endedAtNanos: bigint,
  tags: Readonly<Record<string, string>>,
  random: () => number,
): Generator<Sample> {
  const sending = Math.floor(20_000 + 200_000 * random()) / 1e6;
  const waiting = Math.floor(8_000_000 + 2_000_000_000 * random() ** 6) / 1e6;
  const receiving = Math.floor(50_000 + 5_000_000 * random()) / 1e6;
  const failed = tags["expected_response"] === "false" ? 1 : 0;
  const values: readonly (readonly [metric: string, value: number])[] = [
    ["http_reqs", 1],
    ["http_req_duration", Math.round((sending + waiting + receiving) * 1e6) / 1e6],
    ["http_req_blocked", Math.floor(3000 * random()) / 1e6],
    ["http_req_connecting", 0],
    ["http_req_tls_handshaking", 0],
    ["http_req_sending", sending],
    ["http_req_waiting", waiting],
    ["http_req_receiving", receiving],
    ["http_req_failed", failed],
  ];
  for (const [metric, value] of values) yield { metric, endedAtNanos, value, tags };
  const check = { check: "status is 200", group: "", scenario: "default" };
  yield { metric: "checks", endedAtNanos, value: 1 - failed, tags: check };
  if (request % 10 !== 0) return;
  const iteration = { group: "", scenario: "default" };
  yield { metric: "data_sent", endedAtNanos, value: 1234, tags: iteration };
  yield { metric: "data_received", endedAtNanos, value: 56_789, tags: iteration };
  yield { metric: "iteration_duration", endedAtNanos, value: 1234.567891, tags: iteration };
  yield { metric: "iterations", endedAtNanos, value: 1, tags: iteration };
  yield { metric: "vus", endedAtNanos, value: 50, tags: {} };
  yield { metric: "vus_max", endedAtNanos, value: 50, tags: {} };
}

function tagsOf(url: string, failed: boolean): Record<string, string> {
  return {
    ...(failed ? { error_code: "1500" } : {}),
    expected_response: failed ? "false" : "true",
    group: "",
    method: "GET",
    name: url,
    proto: "HTTP/2.0",
    scenario: "default",
    status: failed ? "500" : "200",
    tls_version: "tls1.3",
    url,
  };
}

function urlOf(index: number, random: () => number): string {
  const path = Array.from({ length: 1 + Math.floor(random() * 4) }, () => {
    return PLACES[Math.floor(random() * PLACES.length)] ?? "";
  });
  const query = index % 10 === 0 ? `?page=${index}&sort=price` : "";
  return `https://shop.example/api/v2/${path.join("/")}/${index}${query}`;
}

function csvLine({ metric, endedAtNanos, value, tags }: Sample): string {
  const second = endedAtNanos / BigInt(NANOS_PER_SECOND);
  const columns = K6_CSV_TAGS.map((tag) => tags[tag] ?? "");
  return `${metric},${second},${value.toFixed(6)},${columns.join(",")}\n`;
}

function jsonLine({ metric, endedAtNanos, value, tags }: Sample): string {
  const data = { time: rfc3339(endedAtNanos), value, tags };
  return `${JSON.stringify({ metric, type: "Point", data }).replaceAll("&", "\\u0026")}\n`;
}

/** The URL is a field, as k6 has it by default; empty tags are left out. */
function protocolLine({ metric, endedAtNanos, value, tags }: Sample): string {
  const { url, ...rest } = tags;
  const named = Object.entries(rest).filter(([, text]) => text !== "");
  const pairs = named.map(([name, text]) => `,${name}=${text.replaceAll(/[ ,=]/g, "\\$&")}`);
  const field = url === undefined ? "" : `url="${url}",`;
  return `${metric}${pairs.join("")} ${field}value=${value} ${endedAtNanos}\n`;
}

/** Every metric is declared before its first sample. */
function metricLine(metric: string, declared: Set<string>): string {
  if (declared.has(metric)) return "";
  declared.add(metric);
  const type = TYPES[metric] ?? "trend";
  const data = { name: metric, type, contains: "default", thresholds: [], submetrics: null };
  return `${JSON.stringify({ type: "Metric", data, metric })}\n`;
}

/** Go leaves out zeros at the end. */
function rfc3339(nanos: bigint): string {
  const milliseconds = new Date(Number(nanos / 1_000_000n)).toISOString();
  const parts = String(nanos % BigInt(NANOS_PER_SECOND)).padStart(9, "0");
  return `${milliseconds.slice(0, 20)}${parts.replace(/0+$/, "")}Z`.replace(".Z", "Z");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      form: { type: "string", default: "csv" },
      requests: { type: "string", default: "100000" },
      endpoints: { type: "string", default: "100" },
      errors: { type: "string", default: "0.01" },
      seconds: { type: "string", default: "3600" },
      seed: { type: "string", default: "1" },
    },
  });
  const options: K6Options = {
    form: FORMS.find((form) => form === values.form) ?? "csv",
    requests: Number(values.requests),
    endpoints: Number(values.endpoints),
    errors: Number(values.errors),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
  };
  for (const piece of k6Pieces(options)) {
    if (!process.stdout.write(piece)) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  }
}
