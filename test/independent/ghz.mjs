/** The JSON report of ghz: every detail is a request, and its timestamp is the end. */

import { roundHalfAway } from "./fractions.mjs";

export function isGhz(text) {
  return text.trimStart().startsWith("{") && /"endReason"/.test(text) && /"details"/.test(text);
}

export function readGhz(text) {
  const { details } = JSON.parse(text);
  return { format: "ghz-json", samples: details.map(sampleOf), rejected: [], cut: false };
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
