/**
 * Merges the points of a load test into minutes, of each source by itself. They are written beside the others, compared with
 * them, and count from when one attribute of the load test names their number: an interrupted attempt changes nothing, and its
 * number is never used again. The sweeper deletes the points that no longer count.
 */

import { MINUTE_SECONDS } from "../../../model/load-test.ts";
import type { Minutes } from "../catalogue/attributes.ts";
import type { StoredSource } from "../catalogue/sources.ts";
import { shardAt } from "../cluster/cluster.ts";
import type { ClickHouseParts } from "../parts.ts";
import { countIn } from "../native/rows-in.ts";
import {
  batchesTally,
  differencesOf,
  prefixesQuery,
  rangesOf,
  tallyIn,
} from "./compaction-queries.ts";
import {
  type Contents,
  contentsOf,
  COPYING,
  Lease,
  requireNone,
  setUnlessChanged,
} from "./compactor.ts";
import { mergeMeasuresOf } from "./minute-measures.ts";
import {
  type MergedRows,
  minutesCount,
  minutesStatements,
  minutesTallies,
  newMinutesNumber,
} from "./minutes-queries.ts";

/** No batch that came this long ago is in flight any more, however clocks differ. */
const QUIET_MS = 10 * 60_000;

/** Differs: minutes cover more seconds. */
const COVERED = "a_window_seconds";

export class Downsampler {
  readonly #parts: ClickHouseParts;
  readonly #lease: Lease;

  constructor(parts: ClickHouseParts) {
    this.#parts = parts;
    this.#lease = new Lease(parts);
  }

  /** See `Points.downsample`; false also for late batches, an import under way, or servers without the result. */
  async downsample(loadTestId: string): Promise<boolean> {
    const stored = await this.#parts.attributes.required(loadTestId);
    const isDone = await this.#lease.during(stored, async () => {
      const contents = await contentsOf(this.#parts, stored);
      const beforeMs = Math.floor(this.#parts.nowMs()) - QUIET_MS;
      if (contents.sources.some((source) => mayGrow(source, beforeMs))) return false;
      if (contents.rows.length === 0) return true;
      if (hasSeconds(contents) && !(await this.#merge(contents, beforeMs))) return false;
      const downsampling = downsamplingOf(contents);
      await mergeMeasuresOf(this.#parts, contents, downsampling);
      return true;
    });
    this.#parts.touched.add(loadTestId);
    return isDone ?? false;
  }

  async #merge(contents: Contents, beforeMs: number): Promise<boolean> {
    const { cluster, copies, nowMs } = this.#parts;
    const { shardKey, node } = contents;
    const replicas = shardAt(cluster, shardKey);
    const read = (sql: string) => replicas.readOn(node, sql);
    const number = newMinutesNumber(nowMs());
    const merged: MergedRows = { ...contents, number, downsampling: downsamplingOf(contents) };
    for (const [at, range] of rangesOf(await read(prefixesQuery(contents))).entries()) {
      if (at > 0) await this.#lease.renew(shardKey.loadTestId);
      for (const sql of minutesStatements(merged, range)) await replicas.copyOn(node, sql, COPYING);
    }
    const [before, after] = minutesTallies(merged);
    const [points, minutes] = [tallyIn(await read(before)), tallyIn(await read(after))];
    const batches = tallyIn(await read(batchesTally(contents)));
    const differences = [...differencesOf(batches, points), ...differencesOf(points, minutes)];
    requireNone(
      contents,
      differences.filter((name) => name !== COVERED),
    );
    const sql = minutesCount(merged);
    const counted = { sql, rows: countIn(await read(sql)) };
    // A server without these rows could not tell that it lacks them.
    if (!(await copies.untilEverywhere(shardKey, counted))) return false;
    const named: Minutes = { number: String(number), beforeMs };
    return setUnlessChanged(this.#parts, contents, { minutes: JSON.stringify(named) });
  }
}

/** Whether batches may become visible that were stored before a time. */
function mayGrow({ batches, gone, isLive, published }: StoredSource, beforeMs: number): boolean {
  if (batches === undefined || gone !== undefined) return false;
  return (!isLive && published === undefined) || batches.storedAtMs >= beforeMs;
}

/** Whether points came since they were merged. */
function hasSeconds({ sources, minutes }: Contents): boolean {
  const mergedMs = minutes?.beforeMs ?? 0;
  return sources.some(
    ({ isVisible, batches }) => isVisible && (batches?.storedAtMs ?? 0) >= mergedMs,
  );
}

function downsamplingOf({ sources }: Contents) {
  const timed = sources.flatMap(({ isVisible, batches }) =>
    isVisible && batches !== undefined && batches.untilSecond > 0 ? [batches] : [],
  );
  return {
    windowSeconds: MINUTE_SECONDS,
    firstSecond: timed.reduce((least, { fromSecond }) => Math.min(least, fromSecond), 2 ** 32 - 1),
    lastSecond: timed.reduce((most, { untilSecond }) => Math.max(most, untilSecond), 0),
  };
}
