/** Compares results for ranges, sets of endpoints and merges with the requests themselves. */

import type { Figures } from "../../src/api/summary.ts";
import { hash } from "node:crypto";
import type { EndpointSelection } from "../../src/series/endpoint-selection.ts";
import { openPercentiles } from "../../src/query/read-percentiles.ts";
import { readHeatmap, rowFloorMicros } from "../../src/query/read-heatmap.ts";
import { summarise } from "../../src/query/open-summary.ts";
import type { Points } from "../../src/store/store.ts";
import { extremesOf, nearestRank, sortedMicros } from "../independent/answers.mjs";
import type { IndependentReading, IndependentSample } from "../independent/read-results.mjs";
import { collect } from "../support/batches.ts";
import { failureDifferences } from "./failure-differences.ts";
import { LOAD_TEST_ID } from "./import-and-read.ts";
import { quantileDifferences } from "./quantile-differences.ts";
import { type Reported, reportedFor, reportedWindow } from "./reported-percentiles.ts";
import { wholeBy } from "./whole-samples.ts";

type Samples = readonly IndependentSample[];

/** A part of a load test, and the query for it. */
interface Part {
  readonly name: string;
  readonly selection: EndpointSelection;
  readonly range: { readonly from: number; readonly until: number } | undefined;
  readonly samples: Samples;
  /** The samples that count towards the overall statistics. */
  readonly whole: Samples;
  /** The tool's own percentiles, of a label or of the whole part. */
  reported(label?: string): Reported;
}

const QUANTILES = [0, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1];
const RESOLUTIONS = [1, 7, 60];
/** Precision of a threshold: a histogram bucket. */
const BUCKET = 1 / 64;

/** One line for each result that differs from the requests. */
export async function mergedDifferences(
  points: Points,
  reading: Pick<IndependentReading, "samples" | "reported"> | undefined,
): Promise<string[]> {
  const differences: string[] = [];
  const wholeOf = await wholeBy(points);
  for (const part of partsOf(reading ?? { samples: [] }, wholeOf)) {
    const found = [
      ...(await summaryDifferences(points, part)),
      ...(await percentileDifferences(points, part)),
      ...(await heatmapDifferences(points, part)),
      ...(await failureDifferences(points, part)),
    ];
    differences.push(...found.map((line) => `${part.name}: ${line}`));
  }
  return differences;
}

/** The complete run, arbitrary ranges, and sets of endpoints by name and by filter. */
function partsOf(
  { samples, reported = [] }: Pick<IndependentReading, "samples" | "reported">,
  wholeOf: (samples: Samples) => Samples,
): Part[] {
  const labels = [...new Set(samples.map(({ label }) => label))];
  const hashes = labels.filter((_, index) => index % 2 === 0).map(hashOf);
  const filter = labels.at(-1)?.slice(0, 3) ?? "";
  const selections: [string, EndpointSelection, Samples][] = [
    ["all", { by: "filter", filter: "" }, samples],
    [
      "half",
      { by: "hashes", hashes },
      samples.filter((each) => hashes.includes(hashOf(each.label))),
    ],
    ["filter", { by: "filter", filter }, samples.filter(({ label }) => label.includes(filter))],
  ];
  return selections.flatMap(([name, selection, own]) =>
    rangesOf(samples).map((range) => {
      const isIn = ({ second }: IndependentSample) =>
        range === undefined || isWithin(Number(second), range);
      return {
        name: range === undefined ? name : `${name} in ${range.from} to ${range.until}`,
        selection,
        range,
        samples: own.filter(isIn),
        // Endpoints selected one by one all count.
        whole: (selection.by === "filter" ? wholeOf(own) : own).filter(isIn),
        reported: (label) =>
          reportedFor(
            reported,
            label ?? (selection.by === "filter" ? wholeOf(own) : own),
            label === undefined && name === "all",
          ),
      };
    }),
  );
}

function hashOf(label: string): string {
  return hash("sha1", label);
}

function rangesOf(samples: Samples): Part["range"][] {
  const seconds = samples.flatMap(({ second }) => (second > 0n ? [Number(second)] : []));
  if (seconds.length === 0) return [undefined];
  const first = seconds.reduce((least, second) => Math.min(least, second));
  const last = seconds.reduce((most, second) => Math.max(most, second));
  const third = Math.ceil((last + 1 - first) / 3);
  return [
    undefined,
    { from: first, until: first + 1 },
    { from: first + third, until: first + 2 * third },
    { from: last, until: last + 100 },
  ];
}

function isWithin(second: number, { from, until }: NonNullable<Part["range"]>): boolean {
  return second > 0 && second >= from && second < until;
}

async function summaryDifferences(points: Points, part: Part): Promise<string[]> {
  const { selection, range } = part;
  const sorted = sortedMicros(part.samples);
  const median = sorted.length === 0 ? Number.NaN : nearestRank(sorted, 0.5);
  const apdexMicros = Number.isNaN(median) ? 1000 : Math.max(1, median);
  const query = { loadTestId: LOAD_TEST_ID, selection, range, apdexMicros };
  const { overall, endpoints } = await summarise(points, query);
  const byLabel = Map.groupBy(part.samples, ({ label }) => label);
  const of = (label?: string) => ({
    apdexMicros,
    reported: range === undefined ? part.reported(label).filter(({ window }) => !window) : [],
  });
  return [
    ...figureDifferences("summary", overall, part.whole, of()),
    ...endpoints.flatMap(({ label, ...figures }) =>
      figureDifferences(`summary of ${label}`, figures, byLabel.get(label) ?? [], of(label)),
    ),
    ...(endpoints.length === byLabel.size
      ? []
      : [`summary: ${endpoints.length} endpoints, expected ${byLabel.size}`]),
  ];
}

interface FigureContext {
  readonly apdexMicros: number;
  /** For the complete run. */
  readonly reported: Reported;
}

function figureDifferences(
  what: string,
  figures: Figures,
  samples: Samples,
  { apdexMicros, reported }: FigureContext,
): string[] {
  const total = (of: (sample: IndependentSample) => bigint) =>
    Number(samples.reduce((sum, sample) => sum + of(sample), 0n));
  const [count, failed] = [total(({ requests }) => requests), total((each) => each.failed)];
  const untimedCount = total(({ untimed = 0n }) => untimed);
  const { min, max } = extremesOf(samples);
  const stated = (q: number) => reported.find(({ quantile }) => quantile === q)?.micros;
  const exactly = {
    count,
    errCount: failed,
    untimedCount,
    ...(figures.receivedBytes === null ? {} : { receivedBytes: total(({ bytes }) => bytes) }),
    minLoadTime: (Number.isNaN(min) ? (stated(0) ?? min) : min) / 1e6,
    maxLoadTime: (Number.isNaN(max) ? (stated(1) ?? max) : max) / 1e6,
    range: stretchOf(figures.range, samples),
  };
  const nearly = {
    errRate: failed / Math.max(1, count),
    // Unknown if no request has a response time.
    avgLoadTime: total(({ micros }) => micros) / (count - untimedCount) / 1e6,
    reqPerSec: rateOf(count, exactly.range),
  };
  const { p50, p90, p95, p99, p999, apdex } = figures;
  return [
    ...Object.entries({ ...exactly, ...nearly }).flatMap(([name, want]) => {
      const got = Number(figures[name as keyof Figures] ?? Number.NaN);
      const allowed = name in exactly ? 0 : 0.51e-6;
      const isEqual = Object.is(got, want) || Math.abs(got - want) <= allowed;
      return isEqual ? [] : [`${what}: ${name} is ${got}, not ${want}`];
    }),
    ...quantileDifferences(
      { what, quantiles: [0.5, 0.9, 0.95, 0.99, 0.999], reported },
      [p50, p90, p95, p99, p999].map((seconds) => (seconds ?? Number.NaN) * 1e6),
      samples,
    ),
    ...apdexDifferences(what, { apdex, apdexMicros }, samples),
  ];
}

/** Unknown (NaN) without a clock. */
function rateOf(count: number, seconds: number): number {
  if (count === 0) return 0;
  return seconds === 0 ? Number.NaN : count / seconds;
}

/** A report may say that its run began within its first window, and ended within its last. */
function stretchOf(range: number, samples: Samples): number {
  const all = secondsOf(samples);
  const longest = Number(
    samples.reduce(
      (most, { windowSeconds = 1n }) => (windowSeconds > most ? windowSeconds : most),
      1n,
    ),
  );
  return range < all && range > all - 2 * longest && longest > 1 ? range : all;
}

function secondsOf(samples: Samples): number {
  const known = samples.filter(({ second }) => second > 0n);
  const from = known.reduce((least, { second }) => Math.min(least, Number(second)), Infinity);
  const until = known.reduce(
    (most, { second, windowSeconds = 1n }) => Math.max(most, Number(second + windowSeconds)),
    0,
  );
  return known.length === 0 ? 0 : until - from;
}

/**
 * Only requests up to a bucket above the threshold may also count as within it. Failed requests and those without a response
 * time are frustrated; there is no Apdex if only averages are known of passed ones.
 */
function apdexDifferences(
  what: string,
  {
    apdex,
    apdexMicros,
  }: { readonly apdex: number | null | undefined; readonly apdexMicros: number },
  samples: Samples,
): string[] {
  const sorted = sortedMicros(samples.filter(({ failed }) => failed === 0n));
  const count = Number(samples.reduce((sum, { requests }) => sum + requests, 0n));
  const isUnknown = sorted.every(Number.isNaN);
  if (typeof apdex !== "number" || isUnknown) {
    return isUnknown && !apdex ? [] : [`${what}: apdex is ${apdex}`];
  }
  const within = (limit: number) => sorted.filter((each) => each <= limit).length;
  const exactWithin = (micros: number) => (within(micros) + within(4 * micros)) / (2 * count);
  const [least, most] = [exactWithin(apdexMicros), exactWithin(apdexMicros * (1 + BUCKET))];
  if (apdex >= least - 1e-6 && apdex <= most + 1e-6) return [];
  return [`${what}: apdex is ${apdex}, not ${least} to ${most}`];
}

async function percentileDifferences(points: Points, part: Part): Promise<string[]> {
  const differences: string[] = [];
  for (const resolutionSeconds of RESOLUTIONS) {
    for (const isMerged of [false, true]) {
      const query = { ...part, loadTestId: LOAD_TEST_ID, resolutionSeconds, isMerged };
      const answer = await openPercentiles(points, { ...query, quantiles: QUANTILES });
      const all = await collect(answer.series());
      answer.release();
      for (const { endpoint, second, quantileMicros } of all) {
        const own = isMerged
          ? part.whole
          : part.samples.filter(({ label }) => label === endpoint?.label);
        const windows = windowsOf(own, resolutionSeconds);
        const stated = part.reported(endpoint?.label);
        const what = `percentiles of ${endpoint?.label ?? "all"} by ${resolutionSeconds} s`;
        if (windows.size !== second.length) differences.push(`${what}: ${second.length} points`);
        for (const [point, at] of second.entries()) {
          const got = quantileMicros.map((column) => column[point] ?? Number.NaN);
          const reported = reportedWindow(stated, { second: at, seconds: resolutionSeconds });
          const context = { what: `${what} at ${at}`, quantiles: QUANTILES, reported };
          differences.push(...quantileDifferences(context, got, windows.get(at) ?? []));
        }
      }
    }
  }
  return differences;
}

function windowsOf(samples: Samples, seconds: number): Map<number, IndependentSample[]> {
  const known = samples.filter(({ second }) => second > 0n);
  return Map.groupBy(known, ({ second }) =>
    Math.max(1, Math.floor(Number(second) / seconds) * seconds),
  );
}

/**
 * At each row edge, the number of requests below must be right, except for those close to the edge.
 */
async function heatmapDifferences(points: Points, part: Part): Promise<string[]> {
  const { selection, range } = part;
  const query = { loadTestId: LOAD_TEST_ID, selection, range, resolutionSeconds: 10 };
  const { second, cells } = await readHeatmap(points, query);
  const windows = windowsOf(part.whole, 10);
  if (windows.size !== second.length) return [`heatmap: ${second.length} columns`];
  return second.flatMap((at, column) => {
    const sorted = sortedMicros(windows.get(at) ?? []);
    const below = (micros: number) => sorted.filter((each) => each < micros).length;
    let seen = 0;
    return (cells[column] ?? []).flatMap(({ row, requests }) => {
      seen += requests;
      const edge = rowFloorMicros(row + 1);
      const [least, most] = [below(edge / (1 + BUCKET)), below(edge * (1 + BUCKET) + 1)];
      if (seen >= least && seen <= most) return [];
      return [`heatmap at ${at}: ${seen} requests below ${edge} micros, not ${least} to ${most}`];
    });
  });
}
