/** Sums of load tests that grow, added up as batches are committed: a summary right after them reads none again. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { LruCache } from "../../../concurrency/lru-cache.ts";
import type { DataPoints } from "../../../model/data-points.ts";
import { UserError } from "../../../model/errors.ts";
import { openBlock } from "../../block/block.ts";
import { DenseTotals } from "../../dense-totals.ts";
import { inOrder, type NumberedPoints } from "../../numbered-points.ts";
import { type Change, Totals, withoutSeconds } from "../../totals.ts";
import type { BlockRow, BlockRows } from "../blocks/block-rows.ts";
import { readSegment } from "../blocks/segment-cache.ts";

/** Of all load tests. */
const BYTES_MAX = 48 * 1024 * 1024;
/** Of one without points. */
const KNOWN_BYTES = 1024;

export interface TotalsRequest {
  readonly loadTest: number;
  /** Of the load test, and of the store in the same snapshot. */
  readonly revision: number;
  readonly storeRevision: number;
  /** Number of blocks that are visible then. */
  readonly blocks: number;
}

interface Known {
  readonly loadTest: number;
  revision: number;
  readonly totals: DenseTotals;
  /** False while the batches before are read. */
  isWhole: boolean;
  /** Call before points are added: whoever is taking the sums takes the rest then. */
  readonly takers: Set<() => void>;
}

export type ReadTotals = (request: TotalsRequest) => Promise<readonly DataPoints[] | undefined>;

export class RunTotals {
  readonly #read: ReadTotals;
  readonly #known = new LruCache<number, Known>(BYTES_MAX);

  /** `read` returns the sums of what is stored; `undefined` for damage, which the caller reports when it reads. */
  constructor(read: ReadTotals) {
    this.#read = read;
  }

  /** Notes changes in the order of their commits. */
  note(changes: readonly Change[]): void {
    const added = new Map<Known, NumberedPoints[]>();
    for (const { loadTest, before, after, isFirst, points } of changes) {
      if (isFirst) this.#begin(loadTest, before, true);
      const known = this.#known.get(loadTest);
      if (known === undefined) continue;
      if (known.revision !== before) {
        this.#known.delete(loadTest);
        continue;
      }
      known.revision = after;
      if (points !== undefined) added.set(known, [...(added.get(known) ?? []), points]);
    }
    for (const [known, batches] of added) {
      if (this.#known.get(known.loadTest) === known) this.#add(known, batches);
    }
  }

  /**
   * Returns the sums of a load test at the revision of its last change, which is read if it is not known; `undefined` if another
   * one is wanted, or it cannot be read. Call in the turn in which the snapshot was opened.
   */
  async totals(request: TotalsRequest): Promise<readonly DataPoints[] | undefined> {
    const { loadTest, revision } = request;
    const known = this.#known.get(loadTest);
    if (known !== undefined && known.revision >= revision) {
      // What is being read is not waited for: it may take long.
      return known.revision === revision && known.isWhole ? all(known) : undefined;
    }
    const begun = this.#begin(loadTest, revision, false);
    const before = await this.#read(request);
    if (this.#known.get(loadTest) !== begun) return before;
    begun.isWhole = before !== undefined;
    if (begun.isWhole) this.#add(begun, before?.map((points) => inOrder(points)) ?? []);
    else this.#known.delete(loadTest);
    return before;
  }

  #begin(loadTest: number, revision: number, isWhole: boolean): Known {
    const known = {
      loadTest,
      revision,
      totals: new DenseTotals(BYTES_MAX),
      isWhole,
      takers: new Set<() => void>(),
    };
    this.#known.set(loadTest, known, KNOWN_BYTES);
    return known;
  }

  /** Drops sums that are of no use then. */
  #add(known: Known, batches: readonly NumberedPoints[]): void {
    const { loadTest, totals, takers } = known;
    for (const takeRest of takers) takeRest();
    totals.add(batches);
    if (totals.isUsable) this.#known.set(loadTest, known, KNOWN_BYTES + totals.bytes);
    else this.#known.delete(loadTest);
  }
}

/** Returns the sums of this turn, taken in several. */
async function all({ totals, takers }: Known): Promise<readonly DataPoints[]> {
  const rest = totals.all();
  const parts: DataPoints[] = [];
  const takeRest = () => {
    parts.push(...rest);
  };
  takers.add(takeRest);
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    parts.push(next.value);
    await nextTurn();
  }
  takers.delete(takeRest);
  return parts;
}

/** Adds up the points of a load test. Throws `damaged-store`, also if blocks of that state are deleted by now. */
export async function readTotals(
  rows: BlockRows,
  { loadTest, storeRevision, blocks }: TotalsRequest,
): Promise<Totals> {
  const totals = new Totals();
  const visible = rows.visible(loadTest, storeRevision);
  if (visible.length !== blocks) {
    const message = `${visible.length} blocks are visible, ${blocks} were stored`;
    throw new UserError("damaged-store", message);
  }
  for (const row of visible) {
    if (row.kind === "points") {
      totals.add(withoutSeconds(pointsOf(rows, row)));
      for (const _ of totals.tidy());
    }
    await nextTurn();
  }
  return totals;
}

function pointsOf(rows: BlockRows, row: BlockRow): DataPoints[] {
  const segment = (kind: "plain" | "distribution") => readSegment(rows, row, kind);
  const block = { plain: segment("plain"), distribution: segment("distribution") };
  return [...openBlock(block).points(0, Infinity)];
}
