/** The project's own table and lines of JSON. */

import { parse } from "csv-parse/sync";
import { fractionOf, roundHalfAway } from "./fractions.mjs";

const MICROS = { elapsedMicros: 1n, elapsedMs: 1000n, elapsedSeconds: 1_000_000n };

export function isTachograph(text) {
  const [line] = text.split("\n", 1);
  // The same names stand in line protocol, behind the name of the measurement.
  const isLine = line.startsWith("tachograph,");
  return !isLine && /\belapsed(?:Micros|Ms|Seconds)\b/.test(line) && /\blabel\b/.test(line);
}

export function readTachograph(text) {
  const isJson = text.startsWith("{");
  const reading = {
    format: isJson ? "tachograph-ndjson" : "tachograph-csv",
    samples: [],
    rejected: [],
    cut: false,
  };
  const rows = isJson ? objectsIn(text, reading) : rowsIn(text, reading);
  reading.samples = rows.map(sampleOf);
  return reading;
}

function objectsIn(text, reading) {
  return text.split("\n").flatMap((line) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line, digitsOf)];
    } catch {
      reading.cut = true;
      return [];
    }
  });
}

/** Numbers stay the text that they were. */
function digitsOf(_key, value, { source }) {
  return typeof value === "number" ? source : value;
}

const FIELDS = "timestamp,label,success,receivedBytes,code,message,users,generator".split(",");

/** Decided: without a line end, a last row counts where its last field is a truth, or is not used. */
function rowsIn(text, reading) {
  const [header] = text.split("\n", 1);
  const rows = parse(text, {
    delimiter: /^\w+(.)/.exec(header)[1],
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_error: true,
    on_skip: () => {
      reading.cut = true;
    },
  });
  const names = rows.shift();
  if (!text.endsWith("\n") && rows.length > 0 && !isWhole(rows.at(-1), names)) {
    reading.cut = true;
    rows.pop();
  }
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
}

function isWhole(row, names) {
  if (row.length < names.length) return false;
  const name = names.at(-1);
  if (name === "success") return /^(true|false)$/i.test(row.at(-1));
  return !FIELDS.includes(name) && MICROS[name] === undefined;
}

function sampleOf(row) {
  const [unit, factor] = Object.entries(MICROS).find(([name]) => row[name] !== undefined);
  const [top, bottom] = fractionOf(Number(row[unit]).toFixed(9));
  const success = String(row.success ?? !(Number(row.code) >= 400));
  return {
    label: row.label,
    second: secondOf(row.timestamp),
    micros: roundHalfAway([top * factor, bottom]),
    bytes: BigInt(row.receivedBytes ?? 0),
    requests: 1n,
    failed: success === "true" ? 0n : 1n,
  };
}

function secondOf(timestamp) {
  if (!/^\d+(\.\d+)?$/.test(timestamp)) return BigInt(Math.floor(Date.parse(timestamp) / 1000));
  return BigInt(timestamp.split(".", 1)[0]);
}
