import { FORMATS } from "../../src/decode/formats.ts";
import { UserError } from "../../src/model/errors.ts";
import type { Histogram } from "../support/histograms.ts";
import type { ImportReport } from "../../src/model/import-report.ts";
import { mergeSeries } from "../../src/model/merge-points.ts";
import type { SampleOptions } from "../../src/model/samples/sample-choice.ts";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { importResults } from "../../src/import/import-results.ts";
import { ALL_ENDPOINTS, type EndpointSelection } from "../../src/series/endpoint-selection.ts";
import { openSnapshot } from "../../src/series/open-snapshot.ts";
import { openMetrics } from "../../src/query/read-metrics.ts";
import { summarise } from "../../src/query/open-summary.ts";
import { METRICS_FORMATS, type MetricsFormat } from "../../src/render/renderer.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import type { Points, Store } from "../../src/store/store.ts";
import type { Ending } from "./expectations.ts";
import { endpointsOf } from "../support/batches.ts";

/** The result of importing a file into an empty store. */
export interface Imported {
  readonly outcome: Outcome;
  /** `undefined` if the file was rejected. */
  readonly report: ImportReport | undefined;
  /** In the order of the response. */
  readonly endpoints: readonly ImportedEndpoint[];
  /** Users by generator and second. */
  readonly users: readonly ImportedUsers[];
  readonly points: Points;
}

interface Outcome {
  readonly recorded: number;
  readonly rejected: number;
  readonly ending: Ending;
  /** The error if nothing was imported. */
  readonly refusal: string | undefined;
}

export interface ImportedEndpoint {
  readonly label: string;
  /** Its item in the response of `GET /Api/Metrics`, in every format. */
  readonly items: Readonly<Record<MetricsFormat, MetricsItem>>;
  /** Over all of its seconds, merged. */
  readonly histogram: Histogram;
  readonly untimedRequests: number;
  /** From the summary, in milliseconds; NaN if unknown. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Sorted by code, message and second. */
  readonly failures: readonly ImportedFailure[];
}

export interface ImportedFailure {
  readonly code: string;
  readonly message: string;
  readonly second: number;
  readonly requests: number;
}

export interface ImportedUsers {
  readonly generator: string;
  readonly second: number;
  readonly active: number;
  readonly started: number;
  readonly ended: number;
}

interface MetricsItem {
  readonly hash: string;
  readonly label: string;
  readonly data: unknown;
}

/** Size of the chunks of a file: odd, so that records are cut everywhere. */
const CHUNK_BYTES = 4093;

export const LOAD_TEST_ID = "sample";

export interface ImportAndReadOptions {
  /** Time zone of timestamps without one. @default "UTC" */
  readonly timeZone?: string | undefined;
  /** Start of the run, for files that do not record it. */
  readonly startedAtMs?: number | undefined;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
  /** An empty store, closed by the caller. @default one in memory */
  readonly store?: Store | undefined;
}

/** Imports a file into an empty store and reads everything back. */
export async function importAndRead(
  bytes: Uint8Array,
  { timeZone = "UTC", startedAtMs, samples, store = openMemoryStore() }: ImportAndReadOptions = {},
): Promise<Imported> {
  const request = {
    loadTest: { id: LOAD_TEST_ID, name: "Sample" },
    name: "sample",
    chunks: inChunks(bytes),
    decodeOptions: { timeZone, startedAtMs, samples },
  };
  try {
    const report = await importResults(request, {
      store,
      formats: FORMATS,
      decodePoints,
      now: () => 0,
    });
    const { recorded, rejected } = report.samples;
    const ending = report.truncatedAt === undefined ? "whole" : "cut";
    return {
      outcome: { recorded, rejected, ending, refusal: undefined },
      report,
      ...(await readBack(store.points)),
      points: store.points,
    };
  } catch (error) {
    if (!(error instanceof UserError) || error.kind !== "unreadable") throw error;
    return {
      outcome: { recorded: 0, rejected: 0, ending: "refused", refusal: error.message },
      report: undefined,
      endpoints: [],
      users: [],
      points: store.points,
    };
  }
}

/** Reads a load test back as the API returns it. */
export async function readBack(
  points: Points,
  loadTestId: string = LOAD_TEST_ID,
): Promise<Pick<Imported, "endpoints" | "users">> {
  return {
    endpoints: await readEndpoints(points, loadTestId),
    users: await readUsers(points, loadTestId),
  };
}

async function readItems(
  points: Points,
  { loadTestId, selection }: { loadTestId: string; selection: EndpointSelection },
  format: MetricsFormat,
): Promise<MetricsItem[]> {
  const query = { loadTestId, selection, range: undefined, resolutionSeconds: 1 };
  const answer = await openMetrics(points, { ...query, format });
  const pieces: Buffer[] = [];
  for await (const piece of answer.chunks()) pieces.push(Buffer.from(piece));
  answer.release();
  return JSON.parse(Buffer.concat(pieces).toString()) as MetricsItem[];
}

async function readEndpoints(points: Points, loadTestId: string): Promise<ImportedEndpoint[]> {
  const selected = { loadTestId, selection: ALL_ENDPOINTS };
  const answers = await Promise.all(
    METRICS_FORMATS.map((format) => readItems(points, selected, format)),
  );
  const histograms = await readHistograms(points, loadTestId);
  const failures = await readFailures(points, loadTestId);
  const summary = await summarise(points, {
    ...selected,
    range: undefined,
    apdexMicros: undefined,
  });
  return histograms.map(({ label, ...distribution }, index) => {
    const figures = summary.endpoints.find((row) => row.label === label);
    const items = METRICS_FORMATS.map((format, at) => [format, answers[at]?.[index]]);
    return {
      label,
      items: Object.fromEntries(items) as Record<MetricsFormat, MetricsItem>,
      ...distribution,
      minMs: millisOf(figures?.minLoadTime),
      maxMs: millisOf(figures?.maxLoadTime),
      failures: failures[index] ?? [],
    };
  });
}

function millisOf(seconds: number | null | undefined): number {
  return Math.round((seconds ?? Number.NaN) * 1e6) / 1000;
}

async function readFailures(points: Points, loadTestId: string): Promise<ImportedFailure[][]> {
  const snapshot = await openSnapshot(points, loadTestId);
  const all: ImportedFailure[][] = [];
  for await (const own of snapshot.failures(await endpointsOf(snapshot), ALL_SECONDS)) {
    const { kinds, kind, second, requests } = own;
    all.push(
      Array.from(kind, (number, row) => ({
        code: kinds[number]?.code ?? "",
        message: kinds[number]?.message ?? "",
        second: second[row] ?? 0,
        requests: requests[row] ?? 0,
      })),
    );
  }
  snapshot.release();
  return all;
}

async function readUsers(points: Points, loadTestId: string): Promise<ImportedUsers[]> {
  const snapshot = await openSnapshot(points, loadTestId);
  const all: ImportedUsers[] = [];
  for await (const { generator, second, active, started, ended } of snapshot.users(ALL_SECONDS)) {
    for (const [row, at] of second.entries()) {
      const numbers = {
        active: active[row] ?? 0,
        started: started[row] ?? 0,
        ended: ended[row] ?? 0,
      };
      all.push({ generator, second: at, ...numbers });
    }
  }
  snapshot.release();
  return all;
}

async function readHistograms(
  points: Points,
  loadTestId: string,
): Promise<Pick<ImportedEndpoint, "label" | "histogram" | "untimedRequests">[]> {
  const snapshot = await openSnapshot(points, loadTestId);
  const histograms: Pick<ImportedEndpoint, "label" | "histogram" | "untimedRequests">[] = [];
  const series = snapshot.read(await endpointsOf(snapshot), ALL_SECONDS, "distribution");
  for await (const { endpoint, columns } of series) {
    // All points in one second: merging them is what every coarser resolution does.
    const merged = mergeSeries([{ ...columns, second: columns.second.map(() => 1) }]);
    histograms.push({
      label: endpoint.label,
      untimedRequests: merged.untimedRequests?.[0] ?? 0,
      histogram: {
        total: merged.requests[0] ?? 0,
        minMicros: merged.minMicros[0],
        maxMicros: merged.maxMicros[0],
        buckets: [...merged.bucket],
        counts: [...merged.bucketCount],
      },
    });
  }
  snapshot.release();
  return histograms;
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    yield bytes.slice(at, at + CHUNK_BYTES);
  }
}
