/** Tracks snapshots and deletes blocks that none can read, after a grace period for other processes. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { BlockLists } from "./blocks/found-blocks.ts";
import { GC_GRACE_MS } from "./blocks/block-rows.ts";
import { EndpointLists } from "./endpoints/endpoint-lists.ts";
import type { SqliteFile } from "./file.ts";
import { LabelSearch } from "./endpoints/label-search.ts";
import { loadTestOf, type LoadTestRow, scopeValues } from "./catalogue/load-test-rows.ts";
import { SegmentCache } from "./blocks/segment-cache.ts";
import {
  type ReadCaches,
  openSqliteSnapshot,
  openSqliteSources,
  type SnapshotStart,
} from "./snapshot.ts";
import { atOneInstant } from "./file/sql-error.ts";
import { WhileUnchanged } from "./file/while-unchanged.ts";
import type { Snapshot, SourcesSnapshot } from "../snapshot.ts";
import type { StoreScope } from "../store.ts";

/** Blocks deleted in one write, and their rows, unless the first block alone has more. */
const BLOCKS_AT_ONCE = 256;
const ROWS_AT_ONCE = 128 * 1024;

interface DeadBlock {
  readonly number: number;
  readonly load_test: number;
  readonly points: number;
}

const STATES_REMEMBERED = 1000;

/** A load test and the store, read in one transaction. */
interface KnownState {
  readonly row: LoadTestRow | undefined;
  readonly state: ReturnType<SqliteFile["reading"]["storeState"]>;
}

export class SnapshotKeeper {
  readonly #file: SqliteFile;
  readonly #caches: ReadCaches;
  readonly #known: WhileUnchanged<KnownState>;
  /** Revisions of open snapshots, once per snapshot. */
  readonly #open: number[] = [];

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#known = new WhileUnchanged(file.reader, STATES_REMEMBERED);
    this.#caches = {
      segments: new SegmentCache(file.reading.blocks),
      endpointLists: new EndpointLists(file.reading.endpoints),
      blockLists: new BlockLists(),
      labels: new LabelSearch(file.reader, file.reading.endpoints),
    };
  }

  /** Opens a snapshot of what is visible now; `undefined` if the load test is unknown. */
  open(scope: StoreScope, loadTestId: string): Snapshot | undefined {
    const { project, environment } = scopeValues(scope);
    const known = this.#known.get(JSON.stringify([project, environment, loadTestId]), () =>
      atOneInstant(this.#file.reader, () => this.#readState(scope, loadTestId)),
    );
    const start = this.#begin(known);
    return start && openSqliteSnapshot(this.#file, this.#caches, start);
  }

  /** The same, per source. */
  openBySource(scope: StoreScope, loadTestId: string): SourcesSnapshot | undefined {
    const { reader, reading } = this.#file;
    const { sources, ...known } = atOneInstant(reader, () => {
      const state = this.#readState(scope, loadTestId);
      const visible = state.row === undefined ? [] : reading.sources.visible(state.row.number);
      return {
        ...state,
        sources: visible.filter((source) => !reading.sources.isWithdrawn(source)),
      };
    });
    const start = this.#begin(known);
    return start && openSqliteSources(this.#file, this.#caches, start, sources);
  }

  /** Deletes the blocks that are due, in short writes. */
  async collectGarbage(): Promise<void> {
    while (await this.collectGarbageOnce()) await nextTurn();
  }

  /** Runs one of these writes. Returns whether there may be more. */
  async collectGarbageOnce(): Promise<boolean> {
    const { queue, now } = this.#file;
    if (!this.#anyDead(now() - GC_GRACE_MS)) return false;
    return (await queue.write(() => this.#collectSome(now() - GC_GRACE_MS))) > 0;
  }

  /** Whether deleted blocks wait for their time. */
  hasDead(): boolean {
    return this.#anyDead(Number.MAX_SAFE_INTEGER);
  }

  /** Registers the snapshot as open. */
  #begin({ row, state: { id, revision } }: KnownState): SnapshotStart | undefined {
    if (row === undefined) return undefined;
    this.#open.push(revision);
    return {
      row,
      loadTest: loadTestOf(row),
      revision,
      revisionText: `${id}-${row.revision}`,
      release: () => this.#release(revision),
    };
  }

  #readState(scope: StoreScope, loadTestId: string): KnownState {
    const { reading } = this.#file;
    return { row: reading.loadTests.find(scope, loadTestId), state: reading.storeState() };
  }

  #release(revision: number): void {
    const place = this.#open.indexOf(revision);
    if (place >= 0) this.#open.splice(place, 1);
  }

  #anyDead(untilMs: number): boolean {
    const found = this.#file.reader
      .prepare("SELECT 1 FROM blocks WHERE hidden_at_ms <= ? LIMIT 1")
      .get(untilMs);
    return found !== undefined;
  }

  #collectSome(untilMs: number): number {
    const { writer } = this.#file;
    const oldest = Math.min(...this.#open, Number.MAX_SAFE_INTEGER);
    // By number, so that neighbours are deleted together and empty pages are not rewritten.
    const found = writer
      .prepare(
        `SELECT number, load_test, points FROM blocks INDEXED BY blocks_hidden
         WHERE hidden_at_ms <= ? AND shown_until <= ? ORDER BY number LIMIT ${BLOCKS_AT_ONCE}`,
      )
      .all(untilMs, oldest) as unknown as DeadBlock[];
    let rows = 0;
    const dead = found.filter(({ points }, place) => {
      rows += points;
      return place === 0 || rows <= ROWS_AT_ONCE;
    });
    const remove = ["segments WHERE block", "blocks WHERE number"].map((where) =>
      writer.prepare(`DELETE FROM ${where} = ?`),
    );
    for (const { number } of dead) for (const statement of remove) statement.run(number);
    for (const loadTest of new Set(dead.map((row) => row.load_test))) {
      this.#forgetLabels(loadTest);
    }
    return dead.length;
  }

  /** The labels of a deleted load test are deleted with its last block. */
  #forgetLabels(loadTest: number): void {
    this.#file.writer
      .prepare(
        `DELETE FROM endpoints WHERE load_test = :loadTest
           AND NOT EXISTS (SELECT 1 FROM load_tests WHERE number = :loadTest)
           AND NOT EXISTS (SELECT 1 FROM blocks WHERE load_test = :loadTest)`,
      )
      .run({ loadTest });
  }
}
