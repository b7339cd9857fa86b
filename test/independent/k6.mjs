import { parse } from "csv-parse/sync";
import { floor, fractionOf, roundHalfAway } from "./fractions.mjs";

const NANOS = 1_000_000_000n;
const DIGITS_TO_NANOS = { 10: 1_000_000_000n, 13: 1_000_000n, 16: 1000n, 19: 1n };
const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/;

export function isK6Csv(text) {
  return text.startsWith("metric_name,timestamp,metric_value");
}

export function isK6Json(text) {
  const line = text.trimStart().split("\n", 1)[0];
  return line.startsWith("{") && /"type":"(Metric|Point)"/.test(line) && line.includes('"metric":');
}

export function readK6Csv(text) {
  const reading = { format: "k6-csv", samples: [], rejected: [], cut: false };
  const rows = parse(text, {
    info: true,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: () => {
      reading.cut = true;
    },
  });
  const columns = rows.shift().record;
  const points = [];
  let line = 1;
  for (const [index, { record, info }] of rows.entries()) {
    const at = line + 1;
    line = info.lines;
    if (record.join() === columns.join()) continue;
    const partial = index === rows.length - 1 && !text.endsWith("\n");
    if (record.length < columns.length && partial) reading.cut = true;
    // Decided: a hole of NUL bytes may have held anything, so the record it ends in is reported.
    else if (record.some((field) => field.includes("\0"))) {
      reject(reading, at, "NUL bytes");
      // What stands whole behind the hole counts nevertheless.
      const behind = record.map((field) => field.replace(/^\0+/, ""));
      if (record.length === columns.length)
        points.push({ line: at, ...pointOfRow(behind, columns) });
    } else if (record.length !== columns.length) reject(reading, at, `${record.length} columns`);
    else points.push({ line: at, ...pointOfRow(record, columns) });
  }
  return takeRequests(reading, points);
}

function pointOfRow(record, columns) {
  const row = Object.fromEntries(columns.map((name, index) => [name, record[index]]));
  return { metric: row.metric_name, time: row.timestamp, value: row.metric_value, tags: row };
}

export function readK6Json(text) {
  const reading = { format: "k6-json", samples: [], rejected: [], cut: false };
  const points = [];
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const entry = parseExactly(line);
    if (entry === undefined && index === lines.length - 1) reading.cut = true;
    else if (entry === undefined) reject(reading, index + 1, "not JSON");
    else if (entry.type === "Point") points.push({ line: index + 1, ...pointOfEntry(entry) });
  }
  return takeRequests(reading, points);
}

function pointOfEntry({ metric, data }) {
  return { metric, time: data?.time, value: data?.value, tags: data?.tags ?? {} };
}

/** Numbers stay the text that they were, because a double does not keep every decimal. */
function parseExactly(line) {
  try {
    return JSON.parse(line, (_key, value, { source }) =>
      typeof value === "number" ? source : value,
    );
  } catch {
    return undefined;
  }
}

export function takeRequests(reading, points) {
  reading.users = points.flatMap(({ metric, time, value }) => {
    const instant = nanosOf(String(time));
    if (metric !== "vus" || instant === undefined) return [];
    return { generator: "", second: instant / NANOS, active: BigInt(Math.round(Number(value))) };
  });
  for (const [index, point] of points.entries()) {
    if (point.metric !== "http_req_duration") continue;
    const outcome = sampleOf(point, failedMetricOf(points, index));
    if (typeof outcome === "string") reject(reading, point.line, outcome);
    else reading.samples.push(outcome);
  }
  return reading;
}

/**
 * The value of the http_req_failed that came with a request: k6 writes the samples of one request
 * in one run, so it stands before the next http_req_duration, with the same name and time.
 */
function failedMetricOf(points, index) {
  const { time, tags } = points[index];
  for (let at = index + 1; at < points.length; at += 1) {
    const next = points[at];
    if (next.metric === "http_req_duration") return undefined;
    const same = next.time === time && labelOf(next.tags) === labelOf(tags);
    if (next.metric === "http_req_failed" && same) return next.value;
  }
  return undefined;
}

/**
 * Decided: the start is the recorded end less the elapsed time as it was recorded, in nanoseconds;
 * only what is summed is rounded to microseconds. Whole seconds mean their first instant.
 */
function sampleOf({ time, value, tags }, failedMetric) {
  const end = nanosOf(String(time));
  if (end === undefined) return `no time: ${time}`;
  const elapsed = fractionOf(String(value));
  if (elapsed === undefined || elapsed[0] < 0n) return `no duration: ${value}`;
  const [top, bottom] = elapsed;
  return {
    label: labelOf(tags),
    second: floor([end * bottom - top * 1_000_000n, bottom * NANOS]),
    micros: roundHalfAway([top * 1000n, bottom]),
    bytes: 0n,
    requests: 1n,
    ...outcomeOf(tags, failedMetric),
  };
}

/** Decided: the kind is the status of an answer, or k6's own code where there was none. */
function outcomeOf(tags, failedMetric) {
  if (!hasFailed(tags, failedMetric)) return { failed: 0n };
  const code = Number(tags.status || 0) > 0 ? tags.status : (tags.error_code ?? "");
  return { failed: 1n, kinds: [{ code, message: tags.error ?? "", requests: 1n }] };
}

/** Decided: an empty name is no name. */
function labelOf(tags) {
  return (tags.name || tags.url || "").toWellFormed();
}

function hasFailed(tags, failedMetric) {
  const expected = (tags.expected_response ?? "").toLowerCase();
  const failed = failedMetric === undefined ? undefined : Number(failedMetric) === 1;
  if (expected === "false" || failed || tags.error) return true;
  if (expected !== "" || failed !== undefined) return false;
  // Decided: without a status nothing says that the request failed; no answer at all is status 0.
  if (!tags.status) return false;
  return Number(tags.status) === 0 || Number(tags.status) >= 400;
}

function nanosOf(text) {
  if (/^\d+$/.test(text)) {
    const scale = DIGITS_TO_NANOS[text.length];
    return scale && BigInt(text) * scale;
  }
  const found = RFC3339.exec(text);
  if (!found) return undefined;
  const [, day, clock, part = "", zone] = found;
  const ms = Date.parse(`${day}T${clock}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(part.padEnd(9, "0"));
}

function reject(reading, line, reason) {
  reading.rejected.push({ line, reason });
}
