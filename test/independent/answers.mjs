/** What GET /Api/Metrics has to answer for samples, worked out as the specification words it. */

import { createHash } from "node:crypto";
import { decimalText, roundHalfAway } from "./fractions.mjs";

const CSV_HEADER = [
  "Timestamp",
  "avgLoadTime",
  "count",
  "downloadSize",
  "errAvgLoadTime",
  "errCount",
  "errDownloadSize",
];

const MICROS = 1_000_000n;

/** Every endpoint of the samples: label, hash and its three formats, by label as UTF-8 bytes. */
export function answersOf(samples) {
  const byLabel = Map.groupBy(samples, ({ label }) => label);
  const labels = [...byLabel.keys()].toSorted((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );
  return labels.map((label) => {
    const own = byLabel.get(label);
    return {
      label,
      hash: createHash("sha1").update(label, "utf8").digest("hex"),
      csv: csvOf(own),
      xy: xyOf(own),
      default: defaultOf(own),
    };
  });
}

/**
 * The elapsed times of an endpoint in microseconds, ascending, one for each request. Decided: requests
 * without a response time come last, as NaN; where only an average is known of some, all are NaN.
 */
export function sortedMicros(samples) {
  const total = Number(samples.reduce((so, { requests }) => so + requests, 0n));
  const isAveraged = samples.some((sample) => sample.averaged && timedOf(sample) > 0n);
  const known = isAveraged ? [] : samples.flatMap(microsOf).toSorted((a, b) => a - b);
  return [...known, ...Array.from({ length: total - known.length }, () => Number.NaN)];
}

/** The smallest and largest elapsed time in microseconds; NaN where the source does not state them. */
export function extremesOf(samples) {
  const timed = samples.filter((sample) => timedOf(sample) > 0n);
  const pairs = timed.map((sample) => {
    if (sample.averaged) return sample.extremes ?? [Number.NaN, Number.NaN];
    const micros = microsOf(sample);
    return [micros.reduce((a, b) => Math.min(a, b)), micros.reduce((a, b) => Math.max(a, b))];
  });
  if (pairs.length === 0) return { min: Number.NaN, max: Number.NaN };
  return {
    min: pairs.reduce((so, [min]) => Math.min(so, min), Infinity),
    max: pairs.reduce((so, [, max]) => Math.max(so, max), -Infinity),
  };
}

function microsOf(sample) {
  const timed = timedOf(sample);
  if (timed === 0n) return [];
  const values = sample.spread ?? [[Number(roundHalfAway([sample.micros, timed])), Number(timed)]];
  return values.flatMap(([value, count]) => Array.from({ length: count }, () => value));
}

function timedOf({ requests, untimed = 0n }) {
  return requests - untimed;
}

/** The smallest value that at least the share `q` of all values do not exceed. */
export function nearestRank(sorted, q) {
  return sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1];
}

/** Count, failures, mean and extremes (milliseconds) of one endpoint. */
export function figuresOf(samples) {
  const total = totalOf(samples);
  const { min, max } = extremesOf(samples);
  return {
    count: Number(total.requests),
    errors: Number(total.failed),
    avgMs: Number(total.micros) / Number(total.timed) / 1000,
    minMs: min / 1000,
    maxMs: max / 1000,
  };
}

function csvOf(samples) {
  return [
    CSV_HEADER,
    ...bySecond(samples).map(([second, own]) => {
      const six = sixFigures(totalOf(own));
      return [
        String(second),
        six.avgLoadTime,
        six.count,
        six.downloadSize,
        six.errAvgLoadTime,
        six.errCount,
        six.errDownloadSize,
      ];
    }),
  ];
}

function xyOf(samples) {
  const points = knownPoints(samples);
  const series = (y) =>
    points.map(([second, total]) => ({ x: Number(second), y: Number(y(total)) }));
  return {
    overview: overviewOf(samples),
    labels: points.map(([second]) => Number(second)),
    ...Object.fromEntries(Object.entries(SERIES).map(([name, y]) => [name, series(y)])),
  };
}

function defaultOf(samples) {
  const points = knownPoints(samples);
  const series = ([name, y]) => {
    const text = name === "pageErrRespTime";
    const cells = points.map(([second, total]) => {
      const value = y(total);
      return [String(second), text ? value : Number(value)];
    });
    return [name, Object.fromEntries(cells)];
  };
  return {
    overview: overviewOf(samples),
    labels: points.map(([second]) => Number(second)),
    ...Object.fromEntries(Object.entries(SERIES).map(series)),
  };
}

/** What the six series show of one second, or of a window that begins there. */
const SERIES = {
  pageRespTimePerSec: (total) => ratio(total.micros, total.timed * MICROS),
  pageReqPerSec: (total) => ratio(total.requests, total.seconds),
  pageKbPerSec: (total) => ratio(total.bytes, 1024n * total.seconds),
  pageErrRespTime: (total) => ratio(total.failedMicros, total.timedFailed * MICROS),
  pageErrCount: (total) => ratio(total.failed, total.seconds),
  pageErrKb: (total) => ratio(total.failedBytes, 1024n * total.seconds),
};

/** Decided: requests of an unknown instant count in the overview but not in its range. */
function overviewOf(samples) {
  const points = knownPoints(samples);
  const [first = 0n] = points[0] ?? [];
  const [last, { seconds }] = points.at(-1) ?? [0n, { seconds: 0n }];
  const range = Number(last) + Number(seconds) - Number(first);
  return { ...sixFigures(totalOf(samples)), range };
}

function sixFigures(total) {
  return {
    avgLoadTime: ratio(total.micros, total.timed * MICROS),
    count: String(total.requests),
    downloadSize: ratio(total.bytes, total.requests),
    errAvgLoadTime: ratio(total.failedMicros, total.timedFailed * MICROS),
    errCount: String(total.failed),
    errDownloadSize: ratio(total.failedBytes, total.failed),
  };
}

function ratio(top, bottom) {
  return bottom === 0n ? "0" : decimalText([top, bottom]);
}

function knownPoints(samples) {
  return bySecond(samples)
    .filter(([second]) => second !== 0n)
    .map(([second, own]) => [second, totalOf(own)]);
}

function bySecond(samples) {
  return [...Map.groupBy(samples, ({ second }) => second)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Decided: a row of several samples of which some failed does not say whose time and bytes are
 * whose, so the failed ones get their share of it, a whole number, halves up.
 */
function totalOf(samples) {
  const sum = (figure) => samples.reduce((so, sample) => so + figure(sample), 0n);
  return {
    seconds: BigInt(Math.max(...samples.map(({ windowSeconds = 1n }) => Number(windowSeconds)))),
    requests: sum(({ requests }) => requests),
    micros: sum(({ micros }) => micros),
    bytes: sum(({ bytes }) => bytes),
    failed: sum(({ failed }) => failed),
    timed: sum(timedOf),
    timedFailed: sum(timedFailedOf),
    failedMicros: sum((sample) => share(sample.micros, timedFailedOf(sample), timedOf(sample))),
    failedBytes: sum(({ bytes, failed, requests }) => share(bytes, failed, requests)),
  };
}

function timedFailedOf({ failed, untimedFailed = 0n }) {
  return failed - untimedFailed;
}

function share(amount, part, whole) {
  return whole === 0n ? 0n : roundHalfAway([amount * part, whole]);
}
