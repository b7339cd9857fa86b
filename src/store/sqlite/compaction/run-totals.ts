/** Sums of load tests that grow, kept by the second thread while batches are stored: a summary right after them reads none again. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import { Mutex } from "../../../concurrency/mutex.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import { openBlock } from "../../block/block.ts";
import { arrange } from "../../numbered-points.ts";
import { type Change, Totals, withoutSeconds } from "../../totals.ts";
import type { BlockRow, BlockRows } from "../blocks/block-rows.ts";
import { readSegment } from "../blocks/segment-cache.ts";

/** Of all load tests. */
const BYTES_MAX = 48 * 1024 * 1024;
/** Of one without points. */
const KNOWN_BYTES = 1024;
/** Points that are added together: some megabytes. */
const POINTS_AT_ONCE = 32_768;
/** How long fewer wait: blocks that merging has replaced stay for two minutes. */
const WAITING_MS_MAX = 1000;

export interface TotalsRequest {
  readonly loadTest: number;
  /** Of the load test, and of the store in the same snapshot. */
  readonly revision: number;
  readonly storeRevision: number;
}

interface Known {
  revision: number;
  /** `undefined` while the blocks before are read. */
  totals: Totals | undefined;
  waiting: Pick<Change, "blocks" | "points">[];
  waitingPoints: number;
}

export class RunTotals {
  readonly #rows: BlockRows;
  readonly #known = new LruCache<number, Known>(BYTES_MAX);
  readonly #reading = new Mutex();
  /** Those that got points since the last time that all were added. */
  readonly #unfinished = new Map<number, Known>();
  /** Points added; only tests read it. */
  added = 0;

  constructor(rows: BlockRows) {
    this.#rows = rows;
  }

  /** Notes changes in the order of their commits. */
  note(changes: readonly Change[]): void {
    for (const { loadTest, before, after, isFirst, blocks, points } of changes) {
      if (isFirst) this.#begin(loadTest, before, new Totals());
      const known = this.#known.get(loadTest);
      if (known === undefined) continue;
      if (known.revision !== before) {
        this.#known.delete(loadTest);
        continue;
      }
      known.revision = after;
      if (blocks.length === 0) continue;
      // Points of what is still read would fill the memory.
      const own = known.totals && points;
      known.waiting.push({ blocks, points: own });
      known.waitingPoints += own?.columns.second.length ?? 0;
      if (this.#unfinished.size === 0) setTimeout(() => this.#addAll(), WAITING_MS_MAX).unref();
      this.#unfinished.set(loadTest, known);
      if (known.waitingPoints >= POINTS_AT_ONCE) this.#addWaiting(loadTest, known);
    }
  }

  /** Passes on the sums of a load test at the revision of its last change, which is read if it is not known. Returns whether it could. */
  async answer(request: TotalsRequest, send: (points: DataPoints) => void): Promise<boolean> {
    const { loadTest, revision } = request;
    const known = this.#known.get(loadTest);
    if (known === undefined || known.revision < revision) {
      const begun = this.#begin(loadTest, revision, undefined);
      const totals = await this.#reading.run(() => this.#read(begun, request));
      for (const points of totals?.all() ?? []) send(points);
      return totals !== undefined;
    }
    // What is being read is not waited for: it may take long.
    if (known.revision !== revision || !this.#addWaiting(loadTest, known)) return false;
    for (const points of known.totals?.all() ?? []) send(points);
    return true;
  }

  #begin(loadTest: number, revision: number, totals: Totals | undefined): Known {
    const known = { revision, totals, waiting: [], waitingPoints: 0 };
    this.#known.set(loadTest, known, KNOWN_BYTES);
    return known;
  }

  /** Returns the sums that were asked for; `undefined` for damage, which the caller reports when it reads. */
  async #read(begun: Known, request: TotalsRequest): Promise<Totals | undefined> {
    const { loadTest, storeRevision } = request;
    const totals = new Totals();
    try {
      for (const row of this.#rows.visible(loadTest, storeRevision)) {
        if (row.kind === "points") this.#add(totals, this.#pointsOf(row));
        await nextTurn();
      }
    } catch {
      this.#known.delete(loadTest);
      return undefined;
    }
    begun.totals = new Totals(totals);
    if (this.#known.get(loadTest) === begun) this.#addWaiting(loadTest, begun);
    return totals;
  }

  #addAll(): void {
    for (const [loadTest, known] of this.#unfinished) {
      this.#unfinished.delete(loadTest);
      if (this.#known.get(loadTest) === known) this.#addWaiting(loadTest, known);
    }
  }

  /** Returns whether its totals are complete. */
  #addWaiting(loadTest: number, known: Known): boolean {
    const { totals } = known;
    if (totals === undefined) return false;
    const waiting = known.waiting.splice(0);
    known.waitingPoints = 0;
    try {
      this.#add(
        totals,
        waiting.flatMap(({ blocks, points }) =>
          points === undefined
            ? blocks.flatMap((number) => this.#pointsOf(this.#rows.get(number)))
            : arrange(points),
        ),
      );
    } catch {
      this.#known.delete(loadTest);
      return false;
    }
    const { bytes } = totals;
    this.#known.set(loadTest, known, KNOWN_BYTES + bytes);
    if (bytes > BYTES_MAX) this.#known.delete(loadTest);
    return true;
  }

  #pointsOf(row: BlockRow): DataPoints[] {
    const segment = (kind: "plain" | "distribution") => readSegment(this.#rows, row, kind);
    const block = { plain: segment("plain"), distribution: segment("distribution") };
    return [...openBlock(block).points(0, Infinity)];
  }

  #add(totals: Totals, parts: readonly DataPoints[]): void {
    if (parts.length === 0) return;
    this.added += parts.reduce((sum, { second }) => sum + second.length, 0);
    totals.add(withoutSeconds(parts));
    for (const _ of totals.tidy());
  }
}
