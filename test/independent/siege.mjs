/** What siege prints with csv = true: rows among its own words. */

import { stripVTControlCharacters } from "node:util";
import { floor, fractionOf, roundHalfAway } from "./fractions.mjs";
import { instantOf } from "./wall-clock.mjs";

export function isSiege(text) {
  return text.split("\n").some((line) => rowOf(line) !== undefined);
}

export function readSiege(text, { timeZone }) {
  const reading = { format: "siege-csv", samples: [], rejected: [], cut: false };
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const row = rowOf(line);
    if (row !== undefined) reading.samples.push(sampleOf(row, timeZone));
    // Decided: siege ends its lines, so another last one is broken off.
    else if (index === lines.length - 1 && line.trim() !== "") reading.cut = true;
    // Decided: siege's own words are no records; what stands in rows only is a torn one.
    else if (/^\[\w\w\w, \d/.test(line) || line.includes("HTTP/1.1,")) {
      reading.rejected.push({ line: index + 1, reason: "torn" });
    }
  }
  return reading;
}

/** Found from the right: the columns behind the URL have no commas, those before it neither. */
function rowOf(line) {
  const plain = stripVTControlCharacters(line).trimEnd();
  const start = plain.indexOf("HTTP/");
  if (start < 0 || start !== plain.lastIndexOf("HTTP/")) return undefined;
  const fields = plain.slice(start).split(",");
  if (fields.length < 7) return undefined;
  const [, code, seconds, bytes] = fields.map((field) => field.trim());
  const [, time] = fields.splice(-2);
  const url = fields.slice(4).join(",");
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time)) return undefined;
  return /^\d+\.\d+$/.test(seconds) ? { code, seconds, bytes, url, time } : undefined;
}

function sampleOf({ code, seconds, bytes, url, time }, timeZone) {
  const [top, bottom] = fractionOf(seconds);
  const end = BigInt(instantOf(time, timeZone)) / 1000n;
  const failed = Number(code) >= 400 || Number(code) === 0;
  return {
    label: url,
    second: floor([end * bottom - top, bottom]),
    micros: roundHalfAway([top * 1_000_000n, bottom]),
    bytes: BigInt(bytes),
    requests: 1n,
    failed: failed ? 1n : 0n,
    kinds: failed ? [{ code, message: "", requests: 1n }] : [],
  };
}
