/** What Apiritif and Taurus' wrapper around Locust write: timestamps are those of the end. */

import { parse } from "csv-parse/sync";

export function isTaurus(text) {
  return text.startsWith("timeStamp,elapsed,Latency,label,") || text.startsWith("allThreads,");
}

export function readTaurus(text) {
  const reading = { format: "taurus-csv", samples: [], users: [], rejected: [] };
  let openQuote = false;
  const rows = parse(text, {
    columns: true,
    record_delimiter: ["\r\n", "\n"],
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: () => {
      openQuote = true;
    },
  });
  // Decided: Taurus ends every line, so that a last one without its end is cut.
  const cut = !text.endsWith("\n");
  if (cut && !openQuote) rows.pop();
  for (const row of rows) {
    const end = Number(row.timeStamp);
    reading.samples.push(sampleOf(row, end - Number(row.elapsed)));
    reading.users.push({
      generator: "",
      second: BigInt(Math.floor(end / 1000)),
      active: BigInt(row.allThreads),
    });
  }
  return { ...reading, cut };
}

function sampleOf(row, start) {
  const kind = { code: row.responseCode, message: row.responseMessage, requests: 1n };
  const hasFailed = row.success !== "true";
  return {
    label: row.label,
    second: BigInt(Math.floor(start / 1000)),
    micros: BigInt(row.elapsed) * 1000n,
    bytes: BigInt(row.bytes),
    requests: 1n,
    failed: hasFailed ? 1n : 0n,
    kinds: hasFailed ? [kind] : [],
  };
}
