import { UserError } from "../../model/errors.ts";
import type { Endpoint, LoadTest } from "../../model/load-test.ts";
import { compareLabels } from "../../model/label.ts";
import { shownEndpoints, shownMeasures } from "../stored-roles.ts";
import { NumberSet } from "../../model/number-set.ts";
import type { SecondRange } from "../../model/second-range.ts";
import { NO_PERCENTILES } from "../../model/reported-percentiles.ts";
import { listedIndex } from "../listed-index.ts";
import { type BlockLists, type FoundBlocks, findBlocks } from "./blocks/found-blocks.ts";
import { tookTooLong } from "./blocks/attempt-block.ts";
import { openBlockReading } from "./blocks/block-reading.ts";
import { GC_GRACE_MS, type BlockRow } from "./blocks/block-rows.ts";
import type { EndpointLists } from "./endpoints/endpoint-lists.ts";
import type { SqliteFile } from "./file.ts";
import type { LabelSearch } from "./endpoints/label-search.ts";
import type { LoadTestRow } from "./catalogue/load-test-rows.ts";
import { openLargeIndex } from "./endpoints/large-index.ts";
import { scanTogether, scatteredBlocks } from "./blocks/read-together.ts";
import type { SegmentCache } from "./blocks/segment-cache.ts";
import type { SourceRow } from "./catalogue/source-rows.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import type {
  EndpointIndex,
  PointDetail,
  Snapshot,
  SourceReading,
  SourcesSnapshot,
  VisibleSource,
} from "../snapshot.ts";

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
  const place = { file, cache: caches.segments, loadTest: start.loadTest };
  const reading = openBlockReading(place, blocks);
  let index: Promise<EndpointIndex> | undefined;

  async function openIndex(): Promise<EndpointIndex> {
    const yielder = new Yielder();
    const found = await blocks();
    const visible = found.numbers();
    if (visible.length > file.listedMax) {
      return openLargeIndex({ file, labels: caches.labels, ...start }, found);
    }
    await yielder.pass();
    const roles = found.roles();
    await yielder.pass();
    const labelled = await labelledEndpoints(caches, start, visible);
    const listed = listedIndex(shownEndpoints(labelled, roles), reading);
    return {
      ...listed,
      async *scan(wanted: Uint32Array, range: SecondRange, detail: PointDetail) {
        const scattered = scatteredBlocks(place, found, { range, endpoints: wanted.length });
        // `detail` determines the columns.
        yield* (
          scattered === undefined
            ? listed.scan(wanted, range, detail as "sums")
            : scanTogether(scattered, await listed.named(wanted), detail)
        ) as AsyncIterable<never>;
      },
    };
  }

  return {
    loadTest: start.loadTest,
    revision: start.revisionText,
    ...reading,
    measureIndex: async () => shownMeasures(await reading.measureIndex(), (await blocks()).roles()),
    index: () => (index ??= openIndex()),
    async sources() {
      return visibleSources(file, start).map((source) => aboutSource(source, start));
    },
    async reported(sourceId) {
      const source = visibleSources(file, start).find(({ id }) => id === sourceId);
      return source === undefined ? NO_PERCENTILES : file.reading.reported.of(source);
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
  const { loadTest } = start;
  const whole = openBlocks(file, caches, start);

  function openSource(source: SourceRow): SourceReading {
    const { number } = source;
    let own: Promise<FoundBlocks> | undefined;
    const blocks = (): Promise<FoundBlocks> =>
      (own ??= whole().then((found) => found.ofSource(number)));
    return {
      ...aboutSource(source, start),
      reported: async () => file.reading.reported.of(source),
      ...openBlockReading({ file, cache: caches.segments, loadTest }, blocks),
      async endpoints() {
        const found = await blocks();
        const roles = found.roles();
        const labelled = await labelledEndpoints(caches, start, found.numbers());
        return labelled.map((endpoint) => ({
          endpoint,
          role: roles.get(endpoint.number) ?? "request",
        }));
      },
    };
  }

  return {
    loadTest,
    sources: sources.toSorted((left, right) => compareLabels(left.id, right.id)).map(openSource),
    release: releasedOnce(start),
  };
}

/** Read lazily: adding or removing a source changes the revision, too. */
function visibleSources({ reading }: SqliteFile, { row }: SnapshotStart): readonly SourceRow[] {
  return reading.sources
    .visible(row.number)
    .filter((source) => !reading.sources.isWithdrawn(source))
    .toSorted((left, right) => compareLabels(left.id, right.id));
}

function aboutSource(
  { id: sourceId, published, format, unrecorded, quality }: SourceRow,
  { row }: SnapshotStart,
): VisibleSource {
  return {
    sourceId,
    published: published && { loadTestId: row.id, sourceId, ...published },
    format,
    unrecorded,
    quality,
  };
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

/** Returns those endpoints with their labels, in this order. Throws `damaged-store`. */
async function labelledEndpoints(
  { endpointLists }: ReadCaches,
  { row, loadTest }: SnapshotStart,
  visible: Uint32Array,
): Promise<readonly Endpoint[]> {
  const all = await endpointLists.sorted(row.number);
  const isVisible = new NumberSet(visible);
  const labelled = all.filter(({ number }) => isVisible.has(number));
  if (labelled.length === visible.length) return labelled;
  throw damaged(loadTest, `${visible.length - labelled.length} labels are missing`);
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

function damaged(loadTest: LoadTest, why: string): UserError {
  return new UserError("damaged-store", `cannot read load test "${loadTest.id}": ${why}`);
}
