/** hey, oha and ab: tables in which a row is a request and the first line names the columns. */

import { floor, fractionOf, roundHalfAway } from "./fractions.mjs";

const MILLION = 1_000_000n;

const TABLES = [
  {
    format: "hey-csv",
    begins: "response-time,DNS+dialup",
    wholeEnd: /\.\d{4}$/,
    separator: ",",
    sample: (row, startedAtMs) => ({
      second: secondOf(row.offset, startedAtMs),
      micros: scaled(row["response-time"], MILLION),
      bytes: 0n,
      ...outcomeOf(row["status-code"]),
    }),
  },
  {
    format: "oha-csv",
    begins: "request-start,DNS",
    wholeEnd: /,\d{3}$/,
    separator: ",",
    sample: (row, startedAtMs) => ({
      second: secondOf(row["request-start"], startedAtMs),
      micros: scaled(row["request-duration"], MILLION),
      bytes: BigInt(row.bytes),
      ...outcomeOf(row.status),
    }),
  },
  {
    format: "ab-tsv",
    begins: "starttime\tseconds\t",
    wholeEnd: /(?:)/,
    separator: "\t",
    sample: (row) => ({
      second: BigInt(row.seconds),
      micros: scaled(row.ttime, 1000n),
      bytes: 0n,
      failed: 0n,
    }),
  },
];

export function isPlainTable(text) {
  return TABLES.some(({ begins }) => text.startsWith(begins));
}

export function readPlainTable(text, { startedAtMs }) {
  const table = TABLES.find(({ begins }) => text.startsWith(begins));
  const [header, ...lines] = text.split(/\r?\n/);
  const columns = header.split(table.separator);
  const endsInRow = lines.at(-1) !== "";
  const reading = { format: table.format, samples: [], rejected: [], cut: false };
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const fields = line.split(table.separator);
    const isLast = index === lines.length - 1;
    // Decided: the tools end every line, and a last one without its end has to look whole.
    if (isLast && endsInRow && !table.wholeEnd.test(line)) {
      reading.cut = true;
      continue;
    }
    const row = Object.fromEntries(columns.map((name, at) => [name, fields[at]]));
    const reason =
      fields.length === columns.length
        ? takeRow(reading, row, table, startedAtMs)
        : `${fields.length} fields`;
    // Decided: a last row without its line end that cannot be read is the cut.
    if (reason !== undefined && isLast && endsInRow) reading.cut = true;
    else if (reason !== undefined) reading.rejected.push({ line: index + 2, reason });
  }
  return reading;
}

/** Answers why the row is no request. */
function takeRow(reading, row, { sample }, startedAtMs) {
  try {
    reading.samples.push({ label: "All requests", requests: 1n, ...sample(row, startedAtMs) });
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Decided: where nothing tells when the run began, every request is at second 0. */
function secondOf(offset, startedAtMs) {
  scaled(offset, 1n);
  if (startedAtMs === undefined) return 0n;
  const [top, bottom] = fractionOf(offset);
  return floor([BigInt(startedAtMs) * bottom + top * 1000n, bottom * 1000n]);
}

function scaled(text, factor) {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`no number: ${text}`);
  const [top, bottom] = fractionOf(text);
  return roundHalfAway([top * factor, bottom]);
}

function outcomeOf(status) {
  if (!/^\d+$/.test(status)) throw new Error(`no status: ${status}`);
  if (Number(status) > 0 && Number(status) < 400) return { failed: 0n };
  return { failed: 1n, kinds: [{ code: status, message: "", requests: 1n }] };
}
