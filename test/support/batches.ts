/** Builds batches for store tests and reads back the contents of a store as plain values. */

import { hash } from "node:crypto";
import type { DataPoints, DistributionColumns, SumColumns } from "../../src/model/data-points.ts";
import type { Endpoint } from "../../src/model/load-test.ts";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import { labelOfSeries } from "../../src/model/series/facets.ts";
import type { PointBatch, Store } from "../../src/store/store.ts";
import { type PlainSample, pointsOf } from "./plain-points.ts";
import type { SourceQuality } from "../../src/model/source-quality.ts";
import type { PublishedSource, Snapshot } from "../../src/store/snapshot.ts";

/** A sample with its label instead of an index. */
export interface LabelledSample extends Omit<PlainSample, "endpoint"> {
  readonly label: string;
}

export function sample(label: string, second: number, elapsedMicros = 1000): LabelledSample {
  return { label, second, elapsedMicros, receivedBytes: 10, failed: false };
}

/** Batch 0 of the live source `sender` in load test `run`, unless `about` overrides it. */
export function batchOf(
  samples: readonly LabelledSample[],
  about: Partial<Omit<PointBatch, "labels" | "points">> = {},
): PointBatch {
  const labels = [...new Set(samples.map(({ label }) => label))];
  const points = pointsOf(
    samples.map((each) => ({ ...each, endpoint: labels.indexOf(each.label) })),
  );
  return {
    loadTestId: "run",
    sourceId: "sender",
    visibility: "live",
    sequence: 0,
    ...about,
    labels,
    points,
  };
}

/** Points of one request each, equal except for the given numbers. */
export function pointWith(numbers: {
  readonly requests: number;
  readonly elapsedMicros: number;
}): DataPoints {
  const one = pointsOf([
    { endpoint: 0, second: 7, elapsedMicros: 1, receivedBytes: 0, failed: false },
  ]);
  return {
    ...one,
    requests: Float64Array.of(numbers.requests),
    elapsedMicros: Float64Array.of(numbers.elapsedMicros),
    bucketCount: Float64Array.of(numbers.requests),
  };
}

/** A published file. Its digest is that of its source id, so each source has different contents. */
export function published(sourceId: string, loadTestId = "run"): PublishedSource {
  const digest = `gmac:${hash("sha256", sourceId).slice(0, 32)}`;
  const about = { loadTestId, sourceId, name: `${sourceId}.jtl`, format: "test" };
  return { ...about, sizeBytes: 1, digest, quality: COMPLETE };
}

/** The quality of a file of which everything is known. */
export const COMPLETE: SourceQuality = {
  unrecorded: [],
  untimedRequests: 0,
  averagedRequests: 0,
  windowSeconds: 1,
  rejectedRows: 0,
};

export type Series = SumColumns & DistributionColumns;

/** The series that a store must return for these samples, by label in the order of UTF-8 bytes. */
export function expectedSeries(samples: readonly LabelledSample[]): [string, Series][] {
  const labels = [...new Set(samples.map(({ label }) => label))];
  return labels
    .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map((label) => {
      const own = samples.filter((each) => each.label === label);
      const {
        endpoint: _,
        outcomes: __,
        ...series
      } = pointsOf(own.map((each) => ({ ...each, endpoint: 0 })));
      return [label, series];
    });
}

/** The contents of a snapshot, by label in the order in which the snapshot returns them. */
export async function seriesIn(
  snapshot: Snapshot,
  range = ALL_SECONDS,
): Promise<[string, Series][]> {
  const answer: [string, Series][] = [];
  for await (const { endpoint, columns } of snapshot.read(
    await endpointsOf(snapshot),
    range,
    "distribution",
  )) {
    answer.push([endpoint.label, columns]);
  }
  return answer;
}

/** Opens a snapshot of an existing load test. */
export async function snapshotOf(
  store: Pick<Store, "points">,
  loadTestId = "run",
): Promise<Snapshot> {
  const snapshot = await store.points.snapshot(loadTestId);
  if (snapshot === undefined) throw new Error(`no load test "${loadTestId}"`);
  return snapshot;
}

/** The contents of a load test as the store returns them now. */
export async function stored(
  store: Pick<Store, "points">,
  loadTestId = "run",
): Promise<[string, Series][]> {
  const snapshot = await snapshotOf(store, loadTestId);
  try {
    return await seriesIn(snapshot);
  } finally {
    snapshot.release();
  }
}

/** The requests of every visible label. */
export async function requestsByLabel(
  store: Store,
  loadTestId = "run",
): Promise<[string, number][]> {
  const counts = new Map<string, number>();
  for (const [name, requests] of await requestsBySeries(store, loadTestId)) {
    const label = labelOfSeries(name);
    counts.set(label, requests + (counts.get(label) ?? 0));
  }
  return [...counts];
}

/** The same, of labels with their facets. */
export async function requestsBySeries(
  store: Store,
  loadTestId = "run",
): Promise<[string, number][]> {
  const series = await stored(store, loadTestId);
  return series.map(([name, { requests }]) => [name, requests.reduce((sum, n) => sum + n, 0)]);
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const collected: Value[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

export async function endpointsOf({ index }: Pick<Snapshot, "index">): Promise<Endpoint[]> {
  const found = await index();
  return (await collect(found.byLabel(found.numbers))).flat();
}
