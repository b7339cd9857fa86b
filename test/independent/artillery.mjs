import { fractionOf, roundHalfAway } from "./fractions.mjs";
import { itemsUnder } from "./json-items.mjs";

const SECONDS = 10n;
const QUANTILES = {
  p50: 500n,
  median: 500n,
  p75: 750n,
  p90: 900n,
  p95: 950n,
  p99: 990n,
  p999: 999n,
};

export function isArtillery(text) {
  return /^\s*\{\s*"aggregate"\s*:\s*\{\s*"(?:period|counters|timestamp)"/.test(text);
}

export function readArtillery(text) {
  const { items, isWhole } = itemsUnder("intermediate", text);
  const periods = items.map((item) =>
    JSON.parse(item, (_key, value, { source }) => (typeof value === "number" ? source : value)),
  );
  const prefix = prefixOf(text, periods);
  const reading = { format: "artillery-json", samples: [], users: [], rejected: [], cut: !isWhole };
  let active = 0n;
  for (const period of periods) {
    const second = startOf(period);
    const count = (name) => BigInt(period.counters[name] ?? 0);
    active += count("vusers.created") - count("vusers.completed") - count("vusers.failed");
    const users = period.concurrency === undefined ? active : BigInt(period.concurrency);
    // Decided: what came and went is known at the end of a window, so users are told there.
    reading.users.push({ generator: "", second: second + SECONDS - 1n, active: users });
    const endpoints = period.codes ? legacyEndpoints(period) : endpointsOf(period, prefix);
    reading.samples.push(...endpoints.map((endpoint) => sampleOf(endpoint, second)));
  }
  return reading;
}

function startOf({ period, timestamp }) {
  if (period !== undefined) return BigInt(period) / 1000n;
  return BigInt(Math.floor(Date.parse(timestamp) / 1000)) - SECONDS;
}

/** Where the plugin writes, told by the one key that every endpoint with a response has. */
function prefixOf(text, periods) {
  const keys = periods.flatMap(({ summaries }) => Object.keys(summaries ?? {}));
  const times = keys.filter((key) => key.includes(".response_time.") && !key.startsWith("http."));
  const prefixes = new Set(times.map((key) => key.split(".response_time.")[0]));
  if (prefixes.size > 1) throw new Error("several namespaces");
  return [...prefixes][0];
}

function endpointsOf({ counters, summaries }, prefix) {
  const endpoints = new Map();
  for (const [key, count] of Object.entries(counters)) {
    const found = prefix === undefined ? splitGlobal(key) : splitOwn(key, prefix);
    if (found === undefined) continue;
    const { name, code, error } = found;
    const times =
      summaries?.[prefix === undefined ? "http.response_time" : `${prefix}.response_time.${name}`];
    const endpoint = endpoints.get(name) ?? { name, codes: [], errors: [], times };
    endpoints.set(name, endpoint);
    if (code === undefined) endpoint.errors.push([error, BigInt(count)]);
    else endpoint.codes.push([code, BigInt(count)]);
  }
  return [...endpoints.values()];
}

function splitOwn(key, prefix) {
  if (!key.startsWith(`${prefix}.`)) return undefined;
  const [, name, code] = /^(.+)\.codes\.(\d+)$/s.exec(key.slice(prefix.length + 1)) ?? [];
  if (code !== undefined) return { name, code };
  const [, owner, error] = /^(.+)\.errors\.(.+)$/s.exec(key.slice(prefix.length + 1)) ?? [];
  return owner === undefined ? undefined : { name: owner, error };
}

/** Decided: of a report without the plugin, errors in capitals are of requests. */
function splitGlobal(key) {
  const [, code] = /^http\.codes\.(\d+)$/.exec(key) ?? [];
  const [, error] = /^errors\.([A-Z][A-Z0-9_]*)$/.exec(key) ?? [];
  return (code ?? error) === undefined ? undefined : { name: "All requests", code, error };
}

function legacyEndpoints({ codes, errors, latencies }) {
  const own = { name: "All requests", codes: countsIn(codes), errors: countsIn(errors), latencies };
  return own.codes.length + own.errors.length === 0 ? [] : [own];
}

function countsIn(object) {
  return Object.entries(object).map(([key, count]) => [key, BigInt(count)]);
}

function sampleOf(endpoint, second) {
  const { name, codes, errors } = endpoint;
  const timed = sum(codes);
  const untimed = sum(errors);
  const bad = codes.filter(([code]) => Number(code) >= 400);
  const { mean, latencies } = timesOf(endpoint, timed);
  const requests = timed + untimed;
  const times = (count) => roundHalfAway([mean[0] * count * 1000n, mean[1]]);
  // Decided: a request without a response counts as one of average length, if anything is known.
  const spread = untimed === 0n ? latencies : [...latencies, [times(1n), untimed]];
  return {
    label: name,
    second,
    windowSeconds: SECONDS,
    requests,
    micros: times(requests),
    bytes: 0n,
    failed: sum(bad) + untimed,
    spread: spread.map(([each, count]) => [Number(each), Number(count)]),
    kinds: [
      ...bad.map(([code, count]) => ({ code, message: "", requests: count })),
      ...errors.map(([message, count]) => ({ code: "", message, requests: count })),
    ],
  };
}

/** The mean in milliseconds as a fraction, and [micros, requests] of all requests with a response. */
function timesOf({ times, latencies }, timed) {
  if (timed === 0n) return { mean: [0n, 1n], latencies: [] };
  if (latencies) {
    const total = latencies.reduce((so, nanos) => so + BigInt(nanos), 0n);
    const each = latencies.map((nanos) => [roundHalfAway([BigInt(nanos), 1000n]), 1n]);
    return { mean: [total, 1_000_000n * timed], latencies: each };
  }
  return { mean: fractionOf(times.mean), latencies: ranked(times, timed) };
}

/**
 * One value for every rank: those that Artillery tells stand where its quantiles are taken, which is
 * at the whole part of q * (n - 1), counted from 0; every other is that of the nearest told rank,
 * the later one in the middle.
 */
function ranked(times, count) {
  const min = micros(times.min);
  const max = micros(times.max);
  const told = new Map([[0n, min]]);
  for (const [name, thousandths] of Object.entries(QUANTILES)) {
    const rank = (thousandths * (count - 1n)) / 1000n;
    if (times[name] === undefined || rank === 0n) continue;
    const value = micros(times[name]);
    told.set(rank, value < min ? min : value > max ? max : value);
  }
  if (count > 1n) told.set(count - 1n, max);
  const ranks = [...told.keys()].toSorted((left, right) => (left < right ? -1 : 1));
  const nearest = (rank) =>
    ranks.reduce((best, each) => (distance(each, rank) <= distance(best, rank) ? each : best));
  return Array.from({ length: Number(count) }, (_, rank) => [told.get(nearest(BigInt(rank))), 1n]);
}

function distance(left, right) {
  return left < right ? right - left : left - right;
}

function micros(text) {
  const [top, bottom] = fractionOf(text);
  return roundHalfAway([top * 1000n, bottom]);
}

function sum(counts) {
  return counts.reduce((so, [, count]) => so + count, 0n);
}
