import { hash } from "node:crypto";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import type { Endpoint } from "../../../src/model/load-test.ts";
import { summarise } from "../../../src/query/open-summary.ts";
import { ALL_ENDPOINTS } from "../../../src/series/endpoint-selection.ts";
import type { Readings } from "../../../src/store/snapshot.ts";
import type { Store } from "../../../src/store/store.ts";
import { batchOf, collect, endpointsOf, published, snapshotOf } from "../../support/batches.ts";
import { densePoints } from "../../support/dense-points.ts";
import { failure, storedFailures } from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import { measuredSeconds, measuresIn } from "../../support/measures.ts";
import { failureTable } from "../../support/plain-details.ts";
import { openFolder } from "../disk/data-folder.ts";

const DAY_MS = 24 * 3_600_000;
const ENDPOINTS = 10;

/** Adds a load test that ended `days` days ago: a file, and a live source with failures and measures. */
export async function addOld(
  folder: string,
  id: string,
  { days, seconds }: { readonly days: number; readonly seconds: number },
): Promise<void> {
  const atMs = Date.now() - days * DAY_MS;
  const store = await openFolder(folder, { now: () => atMs });
  try {
    await store.loadTests.create(loadTest(id, atMs));
    const firstSecond = Math.floor(atMs / 1000) - seconds;
    const labels = Array.from({ length: ENDPOINTS }, (_, at) => `GET /item/${at}`);
    const shape = { endpoints: ENDPOINTS, requestsPerPoint: 3, firstSecond, seconds };
    const about = { loadTestId: id, labels, roles: labels.map(() => "unclear" as const) };
    const details = {
      failures: failureTable([failure(3, "503", firstSecond + 5, 2)]),
      measures: measuredSeconds(firstSecond, seconds),
    };
    const file = { ...batchOf([], { sourceId: "file", visibility: "staged" }), ...about };
    await store.points.append({ ...file, points: densePoints(shape) });
    await store.points.publish(published("file", id));
    const live = { ...batchOf([], details), ...about };
    await store.points.append({ ...live, points: densePoints(shape, 2) });
    await store.loadTests.update(id, { finishedAtMs: atMs });
  } finally {
    await store.close();
  }
}

/** What stays the same when seconds become minutes: figures and percentiles of each endpoint, and failures by code. */
export async function sumsOf(store: Store, loadTestId: string): Promise<string> {
  const query = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  const { overall, endpoints } = await summarise(store.points, { loadTestId, ...query });
  const figures = [overall, ...endpoints].map((each) => Object.entries(each).filter(isOfNoTime));
  const failures = (await storedFailures(store, loadTestId)).map(({ label, rows }) => [
    label,
    rows.map(([code, , , requests]) => [code, requests]),
  ]);
  return JSON.stringify([figures, failures]);
}

/** A minute may begin before and end after its requests. */
function isOfNoTime([name]: readonly [string, unknown]): boolean {
  return !["range", "from", "until", "reqPerSec", "receivedBytesPerSec"].includes(name);
}

/** Of every number, by second or minute. */
export async function digestOf(store: Store, loadTestId: string): Promise<string> {
  const snapshot = await snapshotOf(store, loadTestId);
  try {
    const endpoints = await endpointsOf(snapshot);
    return await digest(snapshot, endpoints);
  } finally {
    snapshot.release();
  }
}

/** The same of each visible source, in any order. */
export async function sourceDigests(store: Store, loadTestId: string): Promise<readonly string[]> {
  const snapshot = await store.points.snapshotBySource(loadTestId);
  if (snapshot === undefined) return [];
  try {
    const digests: string[] = [];
    for (const source of snapshot.sources) {
      const endpoints = (await source.endpoints()).map(({ endpoint }) => endpoint);
      digests.push(await digest(source, endpoints));
    }
    return digests;
  } finally {
    snapshot.release();
  }
}

/** Endpoints have other numbers in a copy. */
async function digest(
  readings: Readings,
  endpoints: readonly Pick<Endpoint, "number" | "label">[],
): Promise<string> {
  const labels = new Map(endpoints.map(({ number, label }) => [number, label]));
  const [series, failures] = [
    await collect(readings.read(endpoints, ALL_SECONDS, "distribution")),
    await collect(readings.failures(endpoints, ALL_SECONDS)),
  ];
  const measures = await measuresIn(readings);
  const own = measures.series.map((each) => ({ ...each, label: labels.get(each.label ?? -1) }));
  const parts = [
    series.map(({ endpoint, columns }) => [endpoint.label, columns]),
    failures.map(({ endpoint, kinds, kind, second, requests }) => [
      endpoint.label,
      Array.from(kind, (number, row) => [kinds[number], second[row], requests[row]]),
    ]),
    { ...measures, series: own },
  ];
  return hash("sha256", JSON.stringify(parts, sorted));
}

/** Columns can come in another order. */
function sorted(_: string, value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([left], [right]) => left.localeCompare(right)),
  );
}
