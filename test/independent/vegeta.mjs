import { parse } from "csv-parse/sync";
import { readGob } from "./gob.mjs";

const SECONDS_FROM_YEAR_ONE = 62_135_596_800n;

export function isVegeta(text, plain) {
  return isCsv(text) || isJson(text) || isGob(plain);
}

export function readVegeta(text, { plain }) {
  if (isCsv(text)) return readCsv(text);
  return isJson(text) ? readJson(text) : readBinary(plain);
}

function isCsv(text) {
  return /^\d{19},\d+,\d+,/.test(text);
}

function isJson(text) {
  return text.startsWith('{"attack":');
}

/** The first message names the type of all others, behind some bytes that are not printable. */
function isGob(plain) {
  const head = Buffer.from(plain.subarray(0, 40)).toString("latin1");
  return head.indexOf("Result") > 0 && head.indexOf("Result") < 12 && head.includes("Attack");
}

function readCsv(text) {
  const reading = start("vegeta-csv");
  const rows = parse(text, {
    relax_column_count: true,
    relax_quotes: true,
    skip_records_with_error: true,
    on_skip: () => {
      reading.cut = true;
    },
  });
  for (const [index, row] of rows.entries()) {
    const isLast = index === rows.length - 1 && !text.endsWith("\n") && !reading.cut;
    // A first row that breaks off cannot tell how many fields there are: the newest version has 12.
    const fields = index === 0 ? 12 : rows[0].length;
    const isShort = row.length < fields || (fields === 6 && !text.endsWith('"'));
    if (isLast && isShort) reading.cut = true;
    else {
      const [timestamp, code, latency, , bytesIn, error, , attack, , method, url] = row;
      const nanos = { timestamp: BigInt(timestamp), latency: BigInt(latency) };
      reading.samples.push(sampleOf({ ...nanos, code, bytesIn, error, attack, method, url }));
    }
  }
  return reading;
}

function readJson(text) {
  const reading = start("vegeta-json");
  for (const line of text.split("\n").filter((each) => each !== "")) {
    try {
      const { timestamp, bytes_in: bytesIn, latency, ...rest } = JSON.parse(line);
      const ms = Date.parse(timestamp.replace(/\.\d+/, ""));
      const nanos = { timestamp: BigInt(ms) * 1_000_000n, latency: BigInt(latency) };
      reading.samples.push(sampleOf({ ...rest, ...nanos, bytesIn }));
    } catch {
      // Decided: Vegeta writes whole lines, so that a line that is none is the last one.
      reading.cut = true;
    }
  }
  return reading;
}

function readBinary(plain) {
  const reading = start("vegeta-gob");
  const { values, cut } = readGob(plain);
  reading.cut = cut;
  for (const {
    Timestamp,
    Latency = 0n,
    Code,
    BytesIn,
    Error: error,
    Attack,
    Method,
    URL,
  } of values) {
    const seconds = Buffer.from(Timestamp).readBigInt64BE(1) - SECONDS_FROM_YEAR_ONE;
    reading.samples.push(
      sampleOf({
        timestamp: seconds * 1_000_000_000n,
        latency: Latency,
        code: Code,
        bytesIn: BytesIn,
        error,
        attack: Attack,
        method: Method,
        url: URL,
      }),
    );
  }
  return reading;
}

function start(format) {
  return { format, samples: [], rejected: [], cut: false };
}

/** Decided: nanoseconds are rounded to microseconds, halves up. */
function sampleOf({ timestamp, latency, code, bytesIn, error, attack, method, url }) {
  const status = Number(code ?? 0);
  const failed = Boolean(error) || status < 200 || status >= 400;
  const name = [method, url].filter(Boolean).join(" ");
  return {
    label: name || attack || "All requests",
    second: timestamp / 1_000_000_000n,
    micros: (latency + 500n) / 1000n,
    bytes: BigInt(bytesIn ?? 0),
    requests: 1n,
    failed: failed ? 1n : 0n,
    kinds: failed ? [{ code: String(status), message: error ?? "", requests: 1n }] : [],
  };
}
