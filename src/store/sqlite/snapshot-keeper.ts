/** Tracks snapshots and deletes blocks that none can read, after a grace period for other processes. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { BlockLists, type FoundBlocks, findBlocks } from "./blocks/found-blocks.ts";
import { GC_GRACE_MS, PAGE_ROWS, type BlockRow } from "./blocks/block-rows.ts";
import { EndpointLists } from "./endpoints/endpoint-lists.ts";
import type { SqliteFile } from "./file.ts";
import { LabelSearch } from "./endpoints/label-search.ts";
import { loadTestOf, type LoadTestRow, scopeValues } from "./catalogue/load-test-rows.ts";
import { MergedSeriesCache } from "./blocks/merged-series.ts";
import { SegmentCache } from "./blocks/segment-cache.ts";
import { atOneInstant } from "./file/sql-error.ts";
import { WhileUnchanged } from "./file/while-unchanged.ts";
import type { RunTotals } from "./compaction/run-totals.ts";
import type { Snapshot, SourcesSnapshot, EndpointIndex } from "../snapshot.ts";
import type { StoreScope } from "../store.ts";
import type { DataPoints } from "../../model/data-points.ts";
import type { LoadTest } from "../../model/load-test.ts";
import { shownMeasures } from "../stored-details.ts";
import { NO_PERCENTILES } from "../../model/reported-percentiles.ts";
import { tookTooLong } from "./blocks/attempt-block.ts";
import { openBlockReading } from "./blocks/block-reading.ts";
import { openLargeIndex } from "./endpoints/large-index.ts";
import {
  bySourceId,
  damaged,
  type LabelledPlace,
  openIndex,
  openSource,
  visibleSource,
} from "./snapshot-parts.ts";
import type { SourceRow } from "./catalogue/source-rows.ts";
import { Yielder } from "../../concurrency/yielder.ts";

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
  #storeId: string | undefined;

  /** Without `totals`, sums are read in this thread, as those of small load tests; only tests set limits. */
  constructor(
    file: SqliteFile,
    totals?: Pick<RunTotals, "totals">,
    { small = SMALL, merged = new MergedSeriesCache() } = {},
  ) {
    this.#file = file;
    this.#known = new WhileUnchanged(file.reader, STATES_REMEMBERED);
    this.#caches = {
      segments: new SegmentCache(file.reading.blocks),
      endpointLists: new EndpointLists(file.reading.endpoints),
      blockLists: new BlockLists(),
      merged,
      labels: new LabelSearch(file.reader, file.reading.endpoints),
      totals,
      small,
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

  /** See `Snapshot.revision`. */
  revisionText(revision: number): string {
    this.#storeId ??= this.#file.reading.storeState().id;
    return `${this.#storeId}-${revision}`;
  }

  /** Deletes the blocks that are due, in short writes. */
  async collectGarbage(): Promise<void> {
    while (await this.collectGarbageOnce()) await nextTurn();
  }

  /** Runs one of these writes. Returns whether there may be more. */
  async collectGarbageOnce(): Promise<boolean> {
    const { queue, now, isServed } = this.#file;
    if (!this.#anyDead(now() - GC_GRACE_MS) || isServed()) return false;
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
    const { writer, writing } = this.#file;
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
    for (const { number } of dead) {
      for (const statement of remove) statement.run(number);
      this.#caches.segments.forget(number);
    }
    for (const loadTest of new Set(dead.map((row) => row.load_test))) {
      writing.endpoints.forget(loadTest);
    }
    return dead.length;
  }
}

interface SnapshotStart {
  readonly row: LoadTestRow;
  readonly loadTest: LoadTest;
  readonly revision: number;
  /** Identifies the state of the load test for readers. */
  readonly revisionText: string;
  readonly release: () => void;
}

interface ReadCaches {
  readonly segments: SegmentCache;
  readonly endpointLists: EndpointLists;
  readonly blockLists: BlockLists;
  readonly merged: MergedSeriesCache;
  readonly labels: LabelSearch;
  readonly totals: Pick<RunTotals, "totals"> | undefined;
  readonly small: number;
}

/** Reads lazily: a not-modified response needs only the revision. */
function openSqliteSnapshot(file: SqliteFile, caches: ReadCaches, start: SnapshotStart): Snapshot {
  const blocks = openBlocks(file, caches, start);
  let totals: ReturnType<typeof askTotals>;
  const { merged } = caches;
  const place = { ...placeOf(file, caches, start), merged, totals: () => totals };
  const reading = openBlockReading(place, blocks);
  let index: Promise<EndpointIndex> | undefined;

  async function open(): Promise<EndpointIndex> {
    const yielder = new Yielder();
    const found = await blocks();
    const visible = found.numbers();
    if (visible.length > file.listedMax) {
      return openLargeIndex({ file, labels: caches.labels, ...start }, found);
    }
    await yielder.pass();
    return openIndex(place, found, reading);
  }

  return {
    loadTest: start.loadTest,
    revision: start.revisionText,
    ...reading,
    measureIndex: async () => shownMeasures(await reading.measureIndex(), (await blocks()).roles()),
    index: () => (index ??= open()),
    expectTotals() {
      totals ??= askTotals(file, caches, start);
    },
    async sources() {
      return visibleSources(file, start).map((source) => visibleSource(source, start.row.id));
    },
    async reported(sourceId) {
      const source = visibleSources(file, start).find(({ id }) => id === sourceId);
      return source === undefined ? NO_PERCENTILES : file.reading.reported.of(source);
    },
    async samples() {
      const sources = visibleSources(file, start);
      return sources.flatMap((source) => file.reading.samples.of(source, start.revision));
    },
    release: releasedOnce(start),
  };
}

/** Blocks times endpoints up to which a load test is read faster than another thread is asked. */
const SMALL = 8192;

function askTotals(
  { isReadOnly, listedMax }: SqliteFile,
  { totals, small }: ReadCaches,
  { row: { number, revision, endpoints, blocks }, revision: storeRevision }: SnapshotStart,
): Promise<readonly DataPoints[] | undefined> | undefined {
  if (isReadOnly || endpoints > listedMax || blocks * endpoints <= small) return undefined;
  return totals?.totals({ loadTest: number, revision, storeRevision, blocks });
}

/** The same, per source; `sources` are those visible at that revision. */
function openSqliteSources(
  file: SqliteFile,
  caches: ReadCaches,
  start: SnapshotStart,
  sources: readonly SourceRow[],
): SourcesSnapshot {
  const place = placeOf(file, caches, start);
  const whole = openBlocks(file, caches, start);
  return {
    loadTest: start.loadTest,
    sources: sources.toSorted(bySourceId).map((source) => ({
      ...openSource(source, place, whole),
      reported: async () => file.reading.reported.of(source),
      samples: async () => file.reading.samples.of(source, start.revision),
    })),
    release: releasedOnce(start),
  };
}

function placeOf(
  file: SqliteFile,
  { segments: cache, endpointLists }: ReadCaches,
  { row, loadTest }: SnapshotStart,
): LabelledPlace {
  const { number } = row;
  return { file, cache, loadTest, endpointLists, number };
}

/** Read lazily: adding or removing a source changes the revision, too. */
function visibleSources({ reading }: SqliteFile, { row }: SnapshotStart): readonly SourceRow[] {
  return reading.sources
    .visible(row.number)
    .filter((source) => !reading.sources.isWithdrawn(source))
    .toSorted(bySourceId);
}

/** Returns the blocks that the snapshot sees, listed on first use. */
function openBlocks(
  file: SqliteFile,
  { blockLists }: ReadCaches,
  start: SnapshotStart,
): () => Promise<FoundBlocks> {
  const openedAtMs = file.now();
  const { row, revision } = start;
  const state = { loadTest: row.number, revision, blocks: row.blocks };
  let listed: Promise<FoundBlocks> | undefined;
  return () => (listed ??= blockLists.get(state, () => listBlocks(file, start, openedAtMs)));
}

function releasedOnce({ release }: SnapshotStart): () => void {
  let released = false;
  return () => {
    if (!released) release();
    released = true;
  };
}

async function listBlocks(
  file: SqliteFile,
  start: SnapshotStart,
  openedAtMs: number,
): Promise<FoundBlocks> {
  const { loadTest, row, revision } = start;
  const yielder = new Yielder();
  const rows: BlockRow[] = [];
  for (let isMore = true; isMore;) {
    const behind = rows.at(-1)?.number ?? 0;
    const page = file.reading.blocks.visiblePage(row.number, revision, behind);
    rows.push(...page);
    isMore = page.length === PAGE_ROWS;
    await yielder.pass();
  }
  if (rows.length !== row.blocks) {
    // Checked only when blocks are missing, so that a clock set ahead does not end a complete read.
    if (file.now() - openedAtMs >= GC_GRACE_MS) throw tookTooLong(loadTest);
    throw damaged(loadTest, `${rows.length} blocks are visible, ${row.blocks} were stored`);
  }
  return findBlocks(rows);
}
