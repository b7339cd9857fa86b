/** Generated histories of load tests: real noise from recordings, with known changes. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { seededRandom } from "../../bench/seeded-random.ts";
import { readRecording } from "../demo/recording.ts";
import type { LabelledSample } from "../support/batches.ts";
import { samplesOf } from "./compared-samples.ts";

export type HistoryKind =
  | "no change"
  | "step of 5 %"
  | "step of 10 %"
  | "step of 20 %"
  | "two steps of 10 %"
  | "drift of 20 %"
  | "outlier";

/** The figures of a history, and whether longer response times change them. */
export const FIGURES = {
  count: false,
  errRate: false,
  avgLoadTime: true,
  p50: true,
  p95: true,
  p99: true,
} as const;
export type HistoryFigure = keyof typeof FIGURES;

export interface GeneratedHistory {
  readonly kind: HistoryKind;
  readonly recording: string;
  readonly loadTests: number;
  /** The changes of response times, ascending: the first load test and the factor. */
  readonly steps: readonly { readonly at: number; readonly factor: number }[];
  /** Of a drift: the factor from the first load test to the last; 1 otherwise. */
  readonly drift: number;
  /** One value per load test: of the whole, and of its two busiest endpoints. */
  readonly series: readonly HistorySeries[];
}

export interface HistorySeries {
  readonly endpoint: string;
  readonly figure: HistoryFigure;
  readonly values: readonly number[];
}

/** A recording, second by second. */
interface RecordedNoise {
  readonly name: string;
  readonly seconds: readonly (readonly LabelledSample[])[];
  readonly busiest: readonly string[];
}

const FIXTURES = path.join(import.meta.dirname, "../fixtures");
const FILES = [
  "gatling-binary/gen-gatling-3.15.1.simulation.log.gz",
  "gatling-text/gen-gatling-3.12.0.simulation.log.gz",
  "jmeter-csv/gen-jmeter-5.6.3-default.jtl.gz",
  "jmeter-xml/gen-jmeter-5.6.3-default.jtl.gz",
  "k6-csv/gen-k6-1.8.1-main.csv.gz",
  "locust/gen-locust-2.47.0-request-log_requests.csv.gz",
  "taurus/gen-taurus-1.17.2-apiritif-results.csv.gz",
];

/** The recordings that the noise is drawn from. */
export function readNoises(): readonly RecordedNoise[] {
  const recordings = FILES.map((file) => {
    return { name: file, samples: samplesOf(gunzipSync(readFileSync(path.join(FIXTURES, file)))) };
  });
  return [{ name: "demo/shop.jtl", samples: samplesOf(readRecording()) }, ...recordings].map(
    ({ name, samples }) => noiseOf(name, samples),
  );
}

function noiseOf(name: string, samples: readonly LabelledSample[]): RecordedNoise {
  const timed = samples.filter(({ second }) => second > 0);
  const bySecond = Map.groupBy(timed, ({ second }) => second);
  const first = Math.min(...bySecond.keys());
  const last = Math.max(...bySecond.keys());
  const seconds = Array.from(
    { length: last - first + 1 },
    (_, at) => bySecond.get(first + at) ?? [],
  );
  const byLabel = [...Map.groupBy(timed, ({ label }) => label)];
  const busiest = byLabel
    .toSorted(([, left], [, right]) => right.length - left.length)
    .slice(0, 2)
    .map(([label]) => label);
  return { name, seconds, busiest };
}

const BLOCK_SECONDS = 5;
const BLOCKS = 12;
/** Steps are at least this far from both ends and from each other. */
const MARGIN = 10;

/**
 * A history: each load test is twelve stretches of five seconds drawn from the recording, so that slow
 * requests stay together.
 */
export function generateHistory(
  noise: RecordedNoise,
  kind: HistoryKind,
  seed: number,
): GeneratedHistory {
  const random = seededRandom(seed);
  const loadTests = 50 + Math.floor(random() * 351);
  const steps = stepsOf(kind, loadTests, random);
  const drift = kind === "drift of 20 %" ? upOrDown(1.2, random) : 1;
  const outlier = kind === "outlier" ? Math.floor(random() * loadTests) : undefined;
  const rows = Array.from({ length: loadTests }, (_, at) => {
    const level = steps.reduce((all, step) => (at >= step.at ? all * step.factor : all), 1);
    const slowed = level * drift ** (at / (loadTests - 1)) * (at === outlier ? 2 : 1);
    return figuresOf(drawn(noise, random), noise.busiest, slowed);
  });
  const endpoints = ["(all)", ...noise.busiest];
  const series = endpoints.flatMap((endpoint, place) =>
    (Object.keys(FIGURES) as HistoryFigure[]).map((figure) => {
      return { endpoint, figure, values: rows.map((row) => row[place]?.[figure] ?? 0) };
    }),
  );
  return { kind, recording: noise.name, loadTests, steps, drift, series };
}

function stepsOf(kind: HistoryKind, loadTests: number, random: () => number) {
  const place = (from: number, until: number) => from + Math.floor(random() * (until - from));
  const percent = /^step of (\d+) %$/.exec(kind)?.[1];
  if (percent !== undefined) {
    const factor = upOrDown(1 + Number(percent) / 100, random);
    return [{ at: place(MARGIN, loadTests - MARGIN), factor }];
  }
  if (kind !== "two steps of 10 %") return [];
  const first = place(MARGIN, loadTests - 2 * MARGIN);
  return [
    { at: first, factor: upOrDown(1.1, random) },
    { at: place(first + MARGIN, loadTests - MARGIN), factor: upOrDown(1.1, random) },
  ];
}

function upOrDown(factor: number, random: () => number): number {
  return random() < 0.5 ? factor : 1 / factor;
}

function drawn({ seconds }: RecordedNoise, random: () => number): readonly LabelledSample[] {
  return Array.from({ length: BLOCKS }, () => {
    const from = Math.floor(random() * seconds.length);
    return Array.from({ length: BLOCK_SECONDS }, (_, at) => seconds[(from + at) % seconds.length]);
  })
    .flat()
    .flatMap((samples) => samples ?? []);
}

type Row = Readonly<Record<HistoryFigure, number>>;

function figuresOf(
  samples: readonly LabelledSample[],
  endpoints: readonly string[],
  factor: number,
): readonly Row[] {
  const groups = Map.groupBy(samples, ({ label }) => label);
  return [samples, ...endpoints.map((label) => groups.get(label) ?? [])].map((group) =>
    rowOf(group, factor),
  );
}

function rowOf(samples: readonly LabelledSample[], factor: number): Row {
  const micros = samples.map(({ elapsedMicros }) => Math.round(elapsedMicros * factor));
  const sorted = Float64Array.from(micros).toSorted();
  const sum = micros.reduce((total, each) => total + each, 0);
  const count = samples.length;
  const quantile = (share: number) => (sorted[Math.ceil(share * count) - 1] ?? 0) / 1e6;
  return {
    count,
    errRate: count === 0 ? 0 : samples.filter(({ failed }) => failed).length / count,
    avgLoadTime: count === 0 ? 0 : sum / count / 1e6,
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
  };
}
