import { parse } from "csv-parse/sync";
import { derivedLabels } from "./jmeter-roles.mjs";
import { instantOf, isTimeOfDay } from "./wall-clock.mjs";

/** Columns of files without a header, by their number (JMeter 2.9 to 2.13, then 3.0 and later). */
const BEFORE_SUCCESS =
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success";
const READ_BEHIND = "failureMessage,bytes,allThreads,SampleCount,ErrorCount,Hostname";
const WITHOUT_HEADER = {
  10: `${BEFORE_SUCCESS},bytes,Latency`,
  12: `${BEFORE_SUCCESS},bytes,grpThreads,allThreads,Latency`,
  14: `${BEFORE_SUCCESS},failureMessage,bytes,grpThreads,allThreads,Latency,IdleTime`,
  16: `${BEFORE_SUCCESS},failureMessage,bytes,sentBytes,grpThreads,allThreads,Latency,IdleTime,Connect`,
  17: `${BEFORE_SUCCESS},failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect`,
};

const HEADER = /^(?=.*\belapsed\b)(?=.*\blabel\b)"?\w+"?([^\w"])/;
const NO_HEADER = /^(\d{13}|\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)?)([,;|\t])\d+\2/;

export function isJmeterCsv(text) {
  const line = text.slice(0, 4096).split("\n", 1)[0];
  return HEADER.test(line) || NO_HEADER.test(line);
}

/** Every row is a sample; which labels are of sub-results and transactions is told beside them. */
export function readJmeterCsv(text, { timeZone }) {
  const line = text.slice(0, 4096).split("\n", 1)[0];
  const delimiter = HEADER.exec(line)?.[1] ?? NO_HEADER.exec(line)[2];
  const { records, openQuote } = parseRecords(text, delimiter);
  if (records.length === 0) return { format: "jmeter-csv", samples: [], rejected: [], cut: true };
  const columns = HEADER.test(line)
    ? records.shift().record
    : columnsWithoutHeader(records[0].record);

  const reading = { format: "jmeter-csv", samples: [], rejected: [], cut: openQuote };
  const rows = [];
  const endsInRecord = !text.endsWith("\n");
  for (const [index, { record, line: at }] of records.entries()) {
    if (record.join() === columns.join()) continue;
    const last = index === records.length - 1;
    if (last && endsInRecord && !isLastWhole(record, columns)) {
      reading.cut = true;
      continue;
    }
    const outcome = sampleOf(record, columns, timeZone);
    if (typeof outcome === "string") reading.rejected.push({ line: at, reason: outcome });
    else {
      reading.samples.push(outcome);
      rows.push(rowOf(record, columns));
    }
  }
  reading.derived = derivedLabels(rows, timeZone);
  reading.users = reading.samples.flatMap(({ users }) => users);
  return reading;
}

/**
 * The defaults of JMeter 4.0 and later have 17 columns. Decided: of 16, that one is missing which makes
 * the 13th a number of threads (the URL is missing) or a URL (failureMessage is missing).
 */
function columnsWithoutHeader(record) {
  const isShifted = record.length === 16 && Number.isNaN(Number(record[12] || "x"));
  if (isShifted) return WITHOUT_HEADER[17].split(",").filter((name) => name !== "failureMessage");
  return WITHOUT_HEADER[record.length].split(",");
}

/**
 * Decided: JMeter ends every line, so that in a last record without its end the last field has to
 * show that it is all there, or not to matter.
 */
function isLastWhole(record, columns) {
  if (record.length < columns.length) return false;
  const name = columns.at(-1);
  if (!`${BEFORE_SUCCESS},${READ_BEHIND}`.split(",").includes(name)) return true;
  return name === "success" && /^(true|false)$/i.test(record.at(-1));
}

function parseRecords(text, delimiter) {
  let openQuote = false;
  const rows = parse(text, {
    delimiter,
    info: true,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: () => {
      openQuote = true;
    },
  });
  let line = 0;
  const records = rows.map(({ record, info }) => {
    const at = line + 1;
    line = info.lines;
    return { record, line: at };
  });
  return { records, openQuote };
}

function rowOf(record, columns) {
  return Object.fromEntries(columns.map((name, index) => [name, record[index]]));
}

/** A sample, or the reason why the row is none. */
function sampleOf(record, columns, timeZone) {
  if (record.length !== columns.length) {
    return `expected ${columns.length} columns, got ${record.length}`;
  }
  const row = rowOf(record, columns);
  const second = secondOf(row.timeStamp, timeZone);
  if (second === undefined || second >= 2n ** 32n) return `no timestamp: ${row.timeStamp}`;
  if (!isWhole(row.elapsed)) return `no elapsed time: ${row.elapsed}`;
  if (!isWhole(row.bytes || "0")) return `no bytes: ${row.bytes}`;
  if (!isWhole(row.SampleCount ?? "1")) return `no number of samples: ${row.SampleCount}`;

  const { requests, failed } = weightOf(row);
  return {
    label: row.label,
    second,
    micros: BigInt(row.elapsed) * 1000n,
    bytes: BigInt(row.bytes || 0),
    requests,
    failed,
    kinds: kindsOf(row, failed),
    users: usersOf(row, second, timeZone),
  };
}

/** As JMeter's report has it: a message of an assertion counts where the answer itself was none. */
export function kindsOf({ responseCode = "", responseMessage = "", failureMessage = "" }, failed) {
  if (failed === 0n || responseCode + responseMessage + failureMessage === "") return [];
  const answered = responseCode !== "" && !/^[123]..$/.test(responseCode);
  const message = answered ? responseMessage : failureMessage || responseMessage;
  return [{ code: responseCode, message, requests: failed }];
}

/** The threads that were active when the sample ended. */
function usersOf({ timeStamp, elapsed, allThreads, Hostname = "" }, second, timeZone) {
  if (second === 0n || !isWhole(allThreads ?? "")) return [];
  const start = /^\d+$/.test(timeStamp)
    ? BigInt(timeStamp)
    : BigInt(instantOf(timeStamp, timeZone));
  const ended = (start + BigInt(elapsed)) / 1000n;
  return [{ generator: Hostname, second: ended, active: BigInt(allThreads) }];
}

/** A whole number that a double holds exactly. */
function isWhole(text) {
  return /^\d+$/.test(text) && BigInt(text) < 2n ** 53n;
}

/**
 * Decided: without a timestamp column, or with times of day of an unknown day, the instant is not
 * known and the row counts at second 0.
 */
function secondOf(timeStamp, timeZone) {
  if (timeStamp === undefined || isTimeOfDay(timeStamp)) return 0n;
  if (/^\d+$/.test(timeStamp)) return BigInt(timeStamp) / 1000n;
  const instant = instantOf(timeStamp, timeZone);
  return instant === undefined ? undefined : BigInt(Math.floor(instant / 1000));
}

/**
 * Decided: ErrorCount counts where a row stands for several samples, success where it is one; without
 * a column that tells, nothing has failed.
 */
function weightOf({ success = "true", SampleCount = "1", ErrorCount = "0" }) {
  const requests = BigInt(SampleCount);
  if (requests > 1n) return { requests, failed: BigInt(ErrorCount) };
  return { requests, failed: success.toLowerCase() === "true" ? 0n : 1n };
}
