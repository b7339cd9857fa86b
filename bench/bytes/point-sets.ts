/** Load tests of different kinds whose stored bytes are counted. */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { DataPoints } from "../../src/model/data-points.ts";
import { ALL_SECONDS } from "../../src/model/columns.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { densePoints, randomFrom } from "../../test/support/dense-points.ts";
import { batchesOf, DENSE, labelsOf } from "../reads/dense.ts";
import { runProgram, TACHOGRAPH } from "../scenarios/tachograph.ts";
import { endpointsOf } from "../../test/support/batches.ts";

export interface PointSet {
  /** As it stands over its column. */
  readonly name: string;
  readonly labels: readonly string[];
  /** In the stretches in which they come to the store. */
  readonly batches: readonly DataPoints[];
}

const SPARSE = { ...DENSE, endpoints: 10_000, seconds: 60, requestsPerPoint: 0.7 };
const FAT = { ...DENSE, endpoints: 10, requestsPerPoint: 1000 };
const RECORDING = path.join(import.meta.dirname, "../../examples/demo/shop.jtl.gz");
const REPEATED = 20;

/** `scratch` is for the store that the recording is read into. */
export async function pointSets(scratch: string): Promise<readonly PointSet[]> {
  return [
    { name: "dense", labels: labelsOf(DENSE), batches: batchesOf(DENSE) },
    { name: "sparse", labels: labelsOf(SPARSE), batches: [sparsePoints()] },
    { name: "fat", labels: labelsOf(FAT), batches: batchesOf(FAT) },
    await recordedPoints(scratch),
  ];
}

export function pointsIn({ batches }: PointSet): number {
  return batches.reduce((sum, { second }) => sum + second.length, 0);
}

/** Each endpoint at 60 random seconds of an hour, mostly once or twice. */
function sparsePoints(): DataPoints {
  const points = densePoints(SPARSE, 1);
  const random = randomFrom(7);
  for (let from = 0; from < points.second.length; from += SPARSE.seconds) {
    const seconds = new Set<number>();
    while (seconds.size < SPARSE.seconds) seconds.add(Math.floor(random() * DENSE.seconds));
    const sorted = [...seconds].toSorted((left, right) => left - right);
    points.second.set(
      sorted.map((second) => DENSE.firstSecond + second),
      from,
    );
  }
  return points;
}

/**
 * What a real tool recorded, some times one after the other, as it lasts only minutes; the times of each
 * repetition differ by up to a tenth, or else whoever finds repetitions would need next to nothing.
 */
async function recordedPoints(scratch: string): Promise<PointSet> {
  const file = path.join(scratch, "recording.jtl");
  writeFileSync(file, repeatedRows(gunzipSync(readFileSync(RECORDING)).toString()));
  const data = path.join(scratch, "recording");
  await runProgram(TACHOGRAPH, ["import", file, "--id", "shop", "--data", data]);
  const store = await openSqliteStore(path.join(data, "tachograph.sqlite"), { now: Date.now });
  const snapshot = await store.points.snapshot("shop");
  if (snapshot === undefined) throw new Error("BUG: the recording is not there");
  const endpoints = await endpointsOf(snapshot);
  const series: DataPoints[] = [];
  for await (const { columns } of snapshot.read(endpoints, ALL_SECONDS, "distribution")) {
    const endpoint = new Uint32Array(columns.second.length).fill(series.length);
    series.push({ ...columns, endpoint });
  }
  snapshot.release();
  await store.close();
  const labels = endpoints.map(({ label }) => label);
  return { name: "recording", labels, batches: [joined(series)] };
}

/** Rows begin with the instant and the time taken, both in milliseconds. */
const ROW_START = /^(\d{13}),(\d+),/gm;

function repeatedRows(text: string): string {
  const random = randomFrom(11);
  const end = text.indexOf("\n") + 1;
  const rows = text.slice(end);
  const instants = Array.from(rows.matchAll(ROW_START), ([, instant]) => Number(instant));
  const first = instants.reduce((least, instant) => Math.min(least, instant), Infinity);
  const last = instants.reduce((most, instant) => Math.max(most, instant), 0);
  const repetitions = Array.from({ length: REPEATED }, (_, repetition) =>
    rows.replaceAll(ROW_START, (_row, instant: string, elapsed: string) => {
      const later = Number(instant) + repetition * (last - first + 1);
      return `${later},${Math.round(Number(elapsed) * (0.9 + 0.2 * random()))},`;
    }),
  );
  return text.slice(0, end) + repetitions.join("");
}

/** Series one behind the other. */
function joined(series: readonly DataPoints[]): DataPoints {
  const columnOf = (pick: (points: DataPoints) => Iterable<number>): number[] =>
    series.flatMap((points) => [...pick(points)]);
  const sums = (name: SumName): Float64Array =>
    Float64Array.from(columnOf((points) => points[name]));
  let buckets = 0;
  const bucketsFrom = series.flatMap(({ bucketsFrom: own, bucket }) => {
    const shifted = [...own.subarray(0, -1)].map((from) => from + buckets);
    buckets += bucket.length;
    return shifted;
  });
  return {
    endpoint: Uint32Array.from(columnOf(({ endpoint }) => endpoint)),
    second: Uint32Array.from(columnOf(({ second }) => second)),
    requests: sums("requests"),
    elapsedMicros: sums("elapsedMicros"),
    receivedBytes: sums("receivedBytes"),
    failedRequests: sums("failedRequests"),
    failedElapsedMicros: sums("failedElapsedMicros"),
    failedReceivedBytes: sums("failedReceivedBytes"),
    minMicros: sums("minMicros"),
    maxMicros: sums("maxMicros"),
    bucketsFrom: Uint32Array.from([...bucketsFrom, buckets]),
    bucket: Uint16Array.from(columnOf(({ bucket }) => bucket)),
    bucketCount: sums("bucketCount"),
  };
}

type SumName = {
  [Name in keyof DataPoints]-?: DataPoints[Name] extends Float64Array ? Name : never;
}[keyof DataPoints];
