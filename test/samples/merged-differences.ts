/** What answers say of ranges, sets of endpoints and merges, against the requests themselves. */

import { hash } from "node:crypto";
import type { EndpointSelection } from "../../src/operations/endpoint-selection.ts";
import { openPercentiles } from "../../src/operations/read-percentiles.ts";
import { readHeatmap, rowFloorMicros } from "../../src/operations/read-heatmap.ts";
import type { Figures } from "../../src/operations/figures.ts";
import { summarise } from "../../src/operations/summarise.ts";
import type { Points } from "../../src/store/store.ts";
import { nearestRank, sortedMicros } from "../independent/answers.mjs";
import type { IndependentSample } from "../independent/read-results.mjs";
import { collect } from "../support/batches.ts";
import { failureDifferences } from "./failure-differences.ts";
import { LOAD_TEST_ID } from "./import-and-read.ts";
import { wholeBy } from "./whole-samples.ts";

type Samples = readonly IndependentSample[];

/** Part of a load test, and how it is asked for. */
interface Part {
  readonly name: string;
  readonly selection: EndpointSelection;
  readonly range: { readonly from: number; readonly until: number } | undefined;
  readonly samples: Samples;
  /** Those of them that are in its whole. */
  readonly whole: Samples;
}

const QUANTILES = [0, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1];
const RESOLUTIONS = [1, 7, 60];
/** How close a percentile has to be; a threshold is as coarse as a bucket of the histogram. */
const PRECISION = 0.01;
const BUCKET = 1 / 64;

/** One line for each answer that is not what the requests amount to. */
export async function mergedDifferences(points: Points, samples: Samples): Promise<string[]> {
  const differences: string[] = [];
  const wholeOf = await wholeBy(points);
  for (const part of partsOf(samples, wholeOf)) {
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

/** All of it, sub-ranges that begin and end anywhere, and sets of endpoints, by name and by text. */
function partsOf(samples: Samples, wholeOf: (samples: Samples) => Samples): Part[] {
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
        // Endpoints that are named one by one are all in it.
        whole: (selection.by === "filter" ? wholeOf(own) : own).filter(isIn),
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
  const apdexMicros = sorted.length === 0 ? 1000 : Math.max(1, nearestRank(sorted, 0.5));
  const query = { loadTestId: LOAD_TEST_ID, selection, range, apdexMicros };
  const { overall, endpoints } = await summarise(points, query);
  const byLabel = Map.groupBy(part.samples, ({ label }) => label);
  return [
    ...figureDifferences("summary", overall, part.whole, apdexMicros),
    ...endpoints.flatMap(({ label, ...figures }) =>
      figureDifferences(`summary of ${label}`, figures, byLabel.get(label) ?? [], apdexMicros),
    ),
    ...(endpoints.length === byLabel.size
      ? []
      : [`summary: ${endpoints.length} endpoints, expected ${byLabel.size}`]),
  ];
}

function figureDifferences(
  what: string,
  figures: Figures,
  samples: Samples,
  apdexMicros: number,
): string[] {
  const sorted = sortedMicros(samples);
  const total = (of: (sample: IndependentSample) => bigint) =>
    Number(samples.reduce((sum, sample) => sum + of(sample), 0n));
  const [count, failed] = [total(({ requests }) => requests), total((each) => each.failed)];
  const exactly = {
    count,
    errCount: failed,
    receivedBytes: total(({ bytes }) => bytes),
    ...(count === 0
      ? {}
      : { minLoadTime: (sorted[0] ?? 0) / 1e6, maxLoadTime: (sorted.at(-1) ?? 0) / 1e6 }),
    range: secondsOf(samples),
  };
  const nearly = {
    errRate: failed / Math.max(1, count),
    avgLoadTime: total(({ micros }) => micros) / Math.max(1, count) / 1e6,
    reqPerSec: exactly.range === 0 ? 0 : count / exactly.range,
  };
  const { p50, p90, p95, p99, p999, apdex } = figures;
  return [
    ...Object.entries({ ...exactly, ...nearly }).flatMap(([name, want]) => {
      const got = figures[name as keyof Figures] ?? Number.NaN;
      const allowed = name in exactly ? 0 : 0.51e-6;
      return Math.abs(got - want) <= allowed ? [] : [`${what}: ${name} is ${got}, not ${want}`];
    }),
    ...quantileDifferences(
      what,
      [0.5, 0.9, 0.95, 0.99, 0.999],
      [p50, p90, p95, p99, p999].flatMap((seconds) => (seconds === undefined ? [] : seconds * 1e6)),
      sorted,
    ),
    ...(apdex === undefined ? [] : apdexDifferences(what, { apdex, apdexMicros }, sorted)),
  ];
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

/** Requests up to a bucket above the threshold can count as within it, and no others. */
function apdexDifferences(
  what: string,
  { apdex, apdexMicros }: { readonly apdex: number; readonly apdexMicros: number },
  sorted: readonly number[],
): string[] {
  const exactWithin = (micros: number) => {
    const within = (limit: number) => sorted.filter((each) => each <= limit).length;
    return (within(micros) + within(4 * micros)) / (2 * sorted.length);
  };
  const [least, most] = [exactWithin(apdexMicros), exactWithin(apdexMicros * (1 + BUCKET))];
  if (apdex >= least - 1e-6 && apdex <= most + 1e-6) return [];
  return [`${what}: apdex is ${apdex}, not ${least} to ${most}`];
}

/** Within the precision, in order, and never beyond the extremes, which are exact. */
function quantileDifferences(
  what: string,
  quantiles: readonly number[],
  got: readonly number[],
  sorted: readonly number[],
): string[] {
  if (sorted.length === 0) return got.length === 0 ? [] : [`${what}: percentiles of nothing`];
  return quantiles.flatMap((q, index) => {
    const exact = nearestRank(sorted, q);
    const value = got[index] ?? Number.NaN;
    const isOrdered = value >= (got[index - 1] ?? sorted[0] ?? 0) - 1e-6;
    const isWithinExtremes = value <= (sorted.at(-1) ?? 0) + 1e-6;
    const isNear = Math.abs(value - exact) <= exact * (q === 0 || q === 1 ? 0 : PRECISION);
    if (isOrdered && isWithinExtremes && isNear) return [];
    return [`${what}: quantile ${q} is ${value} micros, exactly it is ${exact}`];
  });
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
        const what = `percentiles of ${endpoint?.label ?? "all"} by ${resolutionSeconds} s`;
        if (windows.size !== second.length) differences.push(`${what}: ${second.length} points`);
        for (const [point, at] of second.entries()) {
          const got = quantileMicros.map((column) => column[point] ?? Number.NaN);
          const sorted = sortedMicros(windows.get(at) ?? []);
          differences.push(...quantileDifferences(`${what} at ${at}`, QUANTILES, got, sorted));
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

/** At each edge of a row, as many requests lie below as there are, give or take those near the edge. */
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
