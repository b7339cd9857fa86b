import { ALL_SECONDS } from "../../src/model/second-range.ts";
import type { Store } from "../../src/store/store.ts";
import { median } from "../frame/statistics.ts";
import { endpointsOf } from "../../test/support/batches.ts";

/** What is read: so many endpoints, whole. */
export interface Reading {
  readonly endpoints: number;
}

export const SERIES: Reading = { endpoints: 1 };
export const WHOLE: Reading = { endpoints: 100 };

export interface ReadTimes {
  readonly medianMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

const SECONDS = 3600;

/** Reads load tests one after the other, each from the finding of it to its last point. */
export async function readTimes(
  store: Store,
  ids: readonly string[],
  { endpoints }: Reading,
): Promise<ReadTimes> {
  const times: number[] = [];
  for (const [at, id] of ids.entries()) {
    const startedAtMs = performance.now();
    const snapshot = await store.points.snapshot(id);
    if (snapshot === undefined) throw new Error(`no load test ${id}`);
    const all = await endpointsOf(snapshot);
    const from = endpoints === 1 ? at : 0;
    let points = 0;
    const wanted = all.slice(from, from + endpoints);
    for await (const { columns } of snapshot.read(wanted, ALL_SECONDS, "sums")) {
      points += columns.second.length;
    }
    snapshot.release();
    times.push(performance.now() - startedAtMs);
    if (points !== endpoints * SECONDS) throw new Error(`${id}: ${points} points were read`);
  }
  return { medianMs: median(times), leastMs: Math.min(...times), mostMs: Math.max(...times) };
}
