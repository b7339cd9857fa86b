/** Batches for tests of stores, and reading back what a store answers, in the plainest terms. */

import { hash } from "node:crypto";
import type { DataPoints, DistributionColumns, SumColumns } from "../../src/model/data-points.ts";
import type { Endpoint } from "../../src/model/load-test.ts";
import { ALL_SECONDS } from "../../src/model/second-range.ts";
import type { PointBatch, Store } from "../../src/store/store.ts";
import { type PlainSample, pointsOf } from "./plain-points.ts";
import type { PublishedSource, Snapshot } from "../../src/store/snapshot.ts";

/** A sample that carries its label instead of an index. */
export interface LabelledSample extends Omit<PlainSample, "endpoint"> {
  readonly label: string;
}

export function sample(label: string, second: number, elapsedMicros = 1000): LabelledSample {
  return { label, second, elapsedMicros, receivedBytes: 10, failed: false };
}

/** A live batch 0 of source `sender` into load test `run`, unless `about` says otherwise. */
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

/** The points of one request each, all alike but for what is given: for numbers of any size. */
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

/** A file that nobody else has the bytes of: its digest is that of its source's name. */
export function published(sourceId: string, loadTestId = "run"): PublishedSource {
  const digest = `gmac:${hash("sha256", sourceId).slice(0, 32)}`;
  return { loadTestId, sourceId, name: `${sourceId}.jtl`, format: "test", sizeBytes: 1, digest };
}

export type Series = SumColumns & DistributionColumns;

/** What the samples amount to, by label in the order of UTF-8 bytes: what a store must answer. */
export function expectedSeries(samples: readonly LabelledSample[]): [string, Series][] {
  const labels = [...new Set(samples.map(({ label }) => label))];
  return labels
    .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map((label) => {
      const own = samples.filter((each) => each.label === label);
      const { endpoint: _, ...series } = pointsOf(own.map((each) => ({ ...each, endpoint: 0 })));
      return [label, series];
    });
}

/** Everything that a snapshot holds, by label in the order it gives. */
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

/** Opens a snapshot of a load test that must be there. */
export async function snapshotOf(
  store: Pick<Store, "points">,
  loadTestId = "run",
): Promise<Snapshot> {
  const snapshot = await store.points.snapshot(loadTestId);
  if (snapshot === undefined) throw new Error(`no load test "${loadTestId}"`);
  return snapshot;
}

/** What a store answers now for one load test. */
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

/** The requests of every label that is visible. */
export async function requestsByLabel(
  store: Store,
  loadTestId = "run",
): Promise<[string, number][]> {
  const series = await stored(store, loadTestId);
  return series.map(([label, { requests }]) => [label, requests.reduce((sum, n) => sum + n, 0)]);
}

/** Everything that is yielded, in order. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const collected: Value[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

/** All endpoints of a snapshot, by label. */
export async function endpointsOf({ index }: Pick<Snapshot, "index">): Promise<Endpoint[]> {
  const found = await index();
  return (await collect(found.byLabel(found.numbers))).flat();
}
