/** Locust's request log, and its history of totals. */

import { parse } from "csv-parse/sync";
import { fractionOf, roundHalfAway } from "./fractions.mjs";

const REQUESTS = "timestamp,request_type,name,response_time_ms";
const HISTORY = "Timestamp,User Count,Type,Name";

export function isLocust(text) {
  return text.startsWith(REQUESTS) || text.startsWith(HISTORY);
}

export function readLocust(text) {
  const { columns, records, cut } = recordsOf(text);
  const isHistory = text.startsWith(HISTORY);
  const reading = { format: isHistory ? "locust-history" : "locust-requests", samples: [] };
  Object.assign(reading, { rejected: [], cut });
  const rows = [];
  for (const record of records) {
    const reason = record.length === columns.length ? undefined : `${record.length} columns`;
    const row = Object.fromEntries(columns.map((name, index) => [name, record[index]]));
    const wrong = reason ?? (isHistory ? undefined : whatIsWrong(row));
    if (wrong === undefined) rows.push(row);
    else reading.rejected.push({ reason: wrong });
  }
  if (isHistory) return { ...reading, ...readHistory(rows) };
  return { ...reading, samples: rows.map(requestOf) };
}

/** Decided: Locust ends every line, so that a last one without its end is cut. */
function recordsOf(text) {
  const cut = !text.endsWith("\n");
  let openQuote = false;
  // Text mode on Windows makes two carriage returns of one.
  const [columns, ...records] = parse(text.replaceAll("\r\r\n", "\r\n"), {
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: () => {
      openQuote = true;
    },
  });
  if (cut && !openQuote) records.pop();
  return { columns, records, cut: cut || openQuote };
}

/** Decided: what is left of rows that processes have written over each other is not believed. */
function whatIsWrong(row) {
  if (!/^\d{10}(\.\d+)?$/.test(row.timestamp)) return `timestamp ${row.timestamp}`;
  if (!/^\d+(\.\d+)?$/.test(row.response_time_ms)) return `response time ${row.response_time_ms}`;
  if (!/^\d*$/.test(row.response_length)) return `length ${row.response_length}`;
  return /^\d*$/.test(row.status_code) ? undefined : `status ${row.status_code}`;
}

/** Decided: status 0 is no status. */
function requestOf(row) {
  const { timestamp, status_code: status, exception: message } = row;
  const code = Number(status) === 0 ? "" : status;
  return {
    label: labelOf(row.request_type, row.name),
    second: BigInt(timestamp.split(".")[0]),
    micros: times(row.response_time_ms, 1000n),
    bytes: BigInt(row.response_length || 0),
    requests: 1n,
    failed: message === "" ? 0n : 1n,
    kinds: message === "" ? [] : [{ code, message, requests: 1n }],
  };
}

function labelOf(type, name) {
  return type === "" ? name : `${type} ${name}`;
}

/** A history is a row of totals for each name, tick by tick; the last row of a tick is their sum. */
function readHistory(rows) {
  const ticks = ticksOf(rows);
  let before = new Map();
  const samples = [];
  const reported = [];
  const last = new Map();
  let restarts = 0;
  for (const { second, names, sum } of ticks) {
    const own = names.length > 0 ? names : [sum];
    const totals = new Map([...own, sum].filter(Boolean).map((row) => [keyOf(row), totalsOf(row)]));
    const fell = [...totals].some(([key, { count }]) => count < (before.get(key)?.count ?? 0n));
    if (fell) {
      before = new Map();
      restarts += 1;
    }
    for (const [label, row] of labelledRows(names, sum)) {
      if (row["Total Request Count"] !== "0") last.set(label, row);
      const window = { second: Number(second), seconds: 10 };
      if (names.length > 0) reported.push(...statedIn(row, label, window));
    }
    for (const row of own) {
      const sample = differenceOf(before.get(keyOf(row)), totals.get(keyOf(row)));
      if (sample === undefined) continue;
      samples.push({ label: labelOf(row.Type, row.Name), second: BigInt(second), ...sample });
    }
    for (const [key, total] of totals) before.set(key, total);
  }
  if (restarts === 0) reported.push(...[...last].flatMap(ofWholeRun));
  return { samples, users: ticks.flatMap(usersOf), reported };
}

/** The rows of a tick; the sum beside rows of single names has no label. */
function labelledRows(names, sum) {
  const rows = names.map((row) => [labelOf(row.Type, row.Name), row]);
  if (sum === undefined) return rows;
  return [...rows, [names.length > 0 ? undefined : labelOf(sum.Type, sum.Name), sum]];
}

/**
 * Decided: percentiles that are all 0, below the minimum, are those of no window yet.
 * The columns `50%` to `100%`: beside rows of single names they are over the last 10 s, else over the run.
 */
function statedIn(row, label, window) {
  if (row["100%"] === "0" && Number(row["Total Min Response Time"]) >= 1) return [];
  return Object.entries(row).flatMap(([column, text]) =>
    /^\d+(\.\d+)?%$/.test(column) && /^\d/.test(text)
      ? [
          {
            label,
            window,
            quantile: Number((Number.parseFloat(column) / 100).toFixed(6)),
            // Decided: Locust rounds, but no percentile is beyond the extremes.
            micros: Math.max(
              microsOf(row["Total Min Response Time"]),
              Math.min(microsOf(row["Total Max Response Time"]), microsOf(text)),
            ),
          },
        ]
      : [],
  );
}

function ofWholeRun([label, row]) {
  const isOfRun = label === "Aggregated";
  return [
    { label, window: undefined, quantile: 0, micros: microsOf(row["Total Min Response Time"]) },
    ...(isOfRun ? statedIn(row, label, undefined).filter(({ quantile }) => quantile < 1) : []),
    { label, window: undefined, quantile: 1, micros: microsOf(row["Total Max Response Time"]) },
  ];
}

function microsOf(text) {
  return Number(times(text, 1000n));
}

function ticksOf(rows) {
  const ticks = [];
  for (const row of rows) {
    const last = ticks.at(-1);
    if (last === undefined || last.sum !== undefined || last.second !== row.Timestamp) {
      ticks.push({ second: row.Timestamp, names: [], sum: undefined });
    }
    if (row.Type === "" && row.Name === "Aggregated") ticks.at(-1).sum = row;
    else ticks.at(-1).names.push(row);
  }
  return ticks;
}

function usersOf({ second, sum }) {
  if (sum === undefined) return [];
  return [{ generator: "", second: BigInt(second), active: BigInt(sum["User Count"]) }];
}

function keyOf(row) {
  return JSON.stringify([row.Type, row.Name]);
}

function totalsOf(row) {
  const count = BigInt(row["Total Request Count"]);
  return {
    count,
    failed: BigInt(row["Total Failure Count"]),
    micros: times(row["Total Average Response Time"], count * 1000n),
    bytes: times(row["Total Average Content Size"], count),
  };
}

const NONE = { count: 0n, failed: 0n, micros: 0n, bytes: 0n };

function differenceOf(before = NONE, total = NONE) {
  const requests = total.count - before.count;
  if (requests === 0n) return undefined;
  const micros = total.micros - before.micros;
  return {
    requests,
    micros,
    bytes: total.bytes - before.bytes,
    failed: total.failed - before.failed,
    averaged: true,
  };
}

function times(text, factor) {
  const [top, bottom] = fractionOf(text);
  return roundHalfAway([top * factor, bottom]);
}
