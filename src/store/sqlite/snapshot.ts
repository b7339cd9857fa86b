import type { LoadTest } from "../../model/load-test.ts";
import { shownMeasures } from "../stored-roles.ts";
import { NO_PERCENTILES } from "../../model/reported-percentiles.ts";
import { type BlockLists, type FoundBlocks, findBlocks } from "./blocks/found-blocks.ts";
import { tookTooLong } from "./blocks/attempt-block.ts";
import { openBlockReading } from "./blocks/block-reading.ts";
import { GC_GRACE_MS, type BlockRow } from "./blocks/block-rows.ts";
import type { EndpointLists } from "./endpoints/endpoint-lists.ts";
import type { SqliteFile } from "./file.ts";
import type { LabelSearch } from "./endpoints/label-search.ts";
import type { LoadTestRow } from "./catalogue/load-test-rows.ts";
import { openLargeIndex } from "./endpoints/large-index.ts";
import type { SegmentCache } from "./blocks/segment-cache.ts";
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
import type { EndpointIndex, Snapshot, SourcesSnapshot } from "../snapshot.ts";

export interface SnapshotStart {
  readonly row: LoadTestRow;
  readonly loadTest: LoadTest;
  readonly revision: number;
  /** Identifies the state of the load test for readers. */
  readonly revisionText: string;
  readonly release: () => void;
}

/** Caches shared by the snapshots of a process. */
export interface ReadCaches {
  readonly segments: SegmentCache;
  readonly endpointLists: EndpointLists;
  readonly blockLists: BlockLists;
  readonly labels: LabelSearch;
}

/** Reads lazily: a not-modified response needs only the revision. */
export function openSqliteSnapshot(
  file: SqliteFile,
  caches: ReadCaches,
  start: SnapshotStart,
): Snapshot {
  const blocks = openBlocks(file, caches, start);
  const place = placeOf(file, caches, start);
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

/** The same, per source; `sources` are those visible at that revision. */
export function openSqliteSources(
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
  return { file, cache, loadTest, endpointLists, number: row.number };
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
  let listed: Promise<FoundBlocks> | undefined;
  return () =>
    (listed ??= blockLists.get(row.number, revision, () => listBlocks(file, start, openedAtMs)));
}

function releasedOnce({ release }: SnapshotStart): () => void {
  let released = false;
  return () => {
    if (!released) release();
    released = true;
  };
}

/** Endpoints per read: some milliseconds. */
const BLOCKS_AT_ONCE = 512;

async function listBlocks(
  file: SqliteFile,
  start: SnapshotStart,
  openedAtMs: number,
): Promise<FoundBlocks> {
  const { loadTest, row, revision } = start;
  const yielder = new Yielder();
  const rows: BlockRow[] = [];
  for (;;) {
    if (file.now() - openedAtMs >= GC_GRACE_MS) throw tookTooLong(loadTest);
    const behind = rows.at(-1)?.number ?? 0;
    const page = file.reading.blocks.visible(row.number, revision, {
      behind,
      rows: BLOCKS_AT_ONCE,
    });
    rows.push(...page);
    if (page.length < BLOCKS_AT_ONCE) break;
    await yielder.pass();
  }
  if (rows.length !== row.blocks) {
    throw damaged(loadTest, `${rows.length} blocks are visible, ${row.blocks} were stored`);
  }
  return findBlocks(rows);
}
