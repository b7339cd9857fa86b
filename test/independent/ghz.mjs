/** The JSON report of ghz: every detail is a request, and its timestamp is the end. */

import { roundHalfAway } from "./fractions.mjs";
import { itemsUnder } from "./json-items.mjs";

export function isGhz(text) {
  return text.trimStart().startsWith("{") && /"endReason"/.test(text) && /"details"/.test(text);
}

export function readGhz(text) {
  // Behind the options, which may hold such a key as well.
  const { items } = itemsUnder("details", text.slice(text.indexOf('"count"')));
  const { isWhole } = itemsUnder("details", text);
  const samples = items.map((item) => sampleOf(JSON.parse(item)));
  return { format: "ghz-json", samples, rejected: [], cut: !isWhole };
}

function sampleOf({ timestamp, latency, error, status }) {
  const [, whole, part = "", zone] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(timestamp);
  const end = BigInt(Date.parse(whole + zone)) * 1_000_000n + BigInt(part.padEnd(9, "0"));
  const failed = status !== "OK" || error !== "";
  return {
    label: "All requests",
    second: (end - BigInt(latency)) / 1_000_000_000n,
    micros: roundHalfAway([BigInt(latency), 1000n]),
    bytes: 0n,
    requests: 1n,
    failed: failed ? 1n : 0n,
    kinds: failed ? [{ code: status, message: error, requests: 1n }] : [],
  };
}
