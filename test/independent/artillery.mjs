import { fractionOf, roundHalfAway } from "./fractions.mjs";
import { itemsUnder } from "./json-items.mjs";

const SECONDS = 10n;
const QUANTILES = { p50: 0.5, median: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999 };
const ALL = "All requests";

export function isArtillery(text) {
  return /^\s*\{\s*"aggregate"\s*:\s*\{\s*"(?:period|counters|timestamp)"/.test(text);
}

export function readArtillery(text) {
  const { items, isWhole } = itemsUnder("intermediate", text);
  const periods = items.map(withNumbersAsText);
  const prefix = prefixOf(text, periods);
  const reading = { format: "artillery-json", samples: [], users: [], rejected: [], cut: !isWhole };
  reading.reported = [];
  let active = 0n;
  let hopsOfRun = 0n;
  for (const period of periods) {
    const second = startOf(period);
    const count = (name) => BigInt(period.counters[name] ?? 0);
    active += count("vusers.created") - count("vusers.completed") - count("vusers.failed");
    const users = period.concurrency === undefined ? active : BigInt(period.concurrency);
    // Decided: what came and went is known at the end of a window, so users are told there.
    reading.users.push({ generator: "", second: second + SECONDS - 1n, active: users });
    const endpoints = period.codes ? legacyEndpoints(period) : endpointsOf(period, prefix);
    reading.samples.push(...endpoints.map((endpoint) => sampleOf(endpoint, second)));
    const window = { second: Number(second), seconds: Number(SECONDS) };
    for (const { name, times } of endpoints) reading.reported.push(...stated(name, window, times));
    // Decided: a summary of more responses than the endpoints have says nothing about them.
    const hops = prefix === undefined ? 0n : hopsIn(period, endpoints);
    hopsOfRun += hops;
    if (prefix !== undefined && hops === 0n) {
      reading.reported.push(...stated(undefined, window, period.summaries["http.response_time"]));
    }
  }
  reading.reported.push(...ofWholeRun(text, prefix, reading.samples, hopsOfRun));
  return reading;
}

function hopsIn({ counters }, endpoints) {
  const all = Object.entries(counters).filter(([key]) => /^http\.codes\.\d+$/.test(key));
  const own = endpoints.reduce((so, { codes }) => so + sum(codes), 0n);
  return all.reduce((so, [, count]) => so + BigInt(count), 0n) - own;
}

function withNumbersAsText(json) {
  return JSON.parse(json, (_key, value, { source }) =>
    typeof value === "number" ? source : value,
  );
}

/** What the aggregate states; without the plugin it is of the only label. */
function ofWholeRun(text, prefix, samples, hops) {
  const end = text.search(/,\s*"intermediate"\s*:/);
  // A report that is cut inside its aggregate states nothing of the run.
  if (end < 0) return [];
  const head = text.slice(0, end);
  const { summaries = {}, latency } = withNumbersAsText(`${head}}`).aggregate;
  const all = summaries["http.response_time"] ?? latency;
  const labels = [...new Set(samples.map(({ label }) => label))];
  if (prefix === undefined) return labels.flatMap((label) => stated(label, undefined, all));
  return [
    ...labels.flatMap((label) =>
      stated(label, undefined, summaries[`${prefix}.response_time.${label}`]),
    ),
    ...(hops === 0n ? stated(undefined, undefined, all) : []),
  ];
}

function stated(label, window, times = {}) {
  return Object.entries(QUANTILES).flatMap(([name, quantile]) =>
    times[name] === undefined
      ? []
      : [
          {
            label,
            window,
            quantile,
            micros: Math.min(...[times[name], times.max].map(wholeMicros)),
          },
        ],
  );
}

/** Decided: no percentile is above the maximum. */
function wholeMicros(text) {
  return Number(micros(text));
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
  return (code ?? error) === undefined ? undefined : { name: ALL, code, error };
}

function legacyEndpoints({ codes, errors, latencies }) {
  const own = { name: ALL, codes: countsIn(codes), errors: countsIn(errors), latencies };
  return own.codes.length + own.errors.length === 0 ? [] : [own];
}

function countsIn(object) {
  return Object.entries(object).map(([key, count]) => [key, BigInt(count)]);
}

/**
 * Decided: errors have no response time, nor have responses beyond those that the summary counts; which
 * responses these are is not said, so the failed ones get their share.
 */
function sampleOf({ name, codes, errors, times, latencies }, second) {
  const [responses, withoutResponse] = [sum(codes), sum(errors)];
  const bad = codes.filter(([code]) => Number(code) >= 400);
  const counted = latencies ? BigInt(latencies.length) : BigInt(times?.count ?? responses);
  const timed = counted < responses ? counted : responses;
  const timedBad = responses === 0n ? 0n : roundHalfAway([timed * sum(bad), responses]);
  return {
    label: name,
    second,
    windowSeconds: SECONDS,
    requests: responses + withoutResponse,
    untimed: responses + withoutResponse - timed,
    untimedFailed: sum(bad) + withoutResponse - timedBad,
    bytes: 0n,
    failed: sum(bad) + withoutResponse,
    ...(latencies ? timesOfAll(latencies) : timesOfSummary(times, timed)),
    kinds: [
      ...bad.map(([code, count]) => ({ code, message: "", requests: count })),
      ...errors.map(([message, count]) => ({ code: "", message, requests: count })),
    ],
  };
}

/** Artillery 1 writes every response time, in nanoseconds. */
function timesOfAll(latencies) {
  const nanos = latencies.map(BigInt);
  return {
    micros: roundHalfAway([nanos.reduce((so, each) => so + each, 0n), 1000n]),
    spread: nanos.map((each) => [Number(roundHalfAway([each, 1000n])), 1]),
  };
}

function timesOfSummary(times, timed) {
  if (timed === 0n) return { micros: 0n, averaged: true };
  const [top, bottom] = fractionOf(times.mean);
  const extremes = [Number(micros(times.min)), Number(micros(times.max))];
  return { micros: roundHalfAway([top * timed * 1000n, bottom]), averaged: true, extremes };
}

function micros(text) {
  const [top, bottom] = fractionOf(text);
  return roundHalfAway([top * 1000n, bottom]);
}

function sum(counts) {
  return counts.reduce((so, [, count]) => so + count, 0n);
}
