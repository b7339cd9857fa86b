/** Writes points to SQLite exactly once and opens snapshots of them. */

import { releaseMemory } from "../../concurrency/release-memory.ts";
import { unknownLoadTest } from "../../model/load-test.ts";
import { factsOf } from "../../model/point-facts.ts";
import {
  requireBatches,
  requireLast,
  requireNotWithdrawn,
  requireSameVisibility,
  requireStaged,
  requireUnpublished,
  sequenceReused,
  sourceIsClosed,
  sourceReplaced,
  tooManyRequests,
} from "../refusals.ts";
import type { Appended, Points, StoredFigures, StoreScope } from "../store.ts";
import type { SqliteFile } from "./file.ts";
import { isIn, type LoadTestRow } from "./catalogue/load-test-rows.ts";
import { sizeOfSet, encodeEndpointSet, numbersIn } from "../block/endpoint-set.ts";
import { requireLabelRoom, labelsIn, showLabels } from "./endpoints/label-room.ts";
import type { Change } from "../totals.ts";
import type { Compactor } from "./compaction/compactor.ts";
import { type PreparedBatch, prepareBatch } from "./prepare-batch.ts";
import type { SnapshotKeeper } from "./snapshot-keeper.ts";
import type { WriteTarget } from "./write-target.ts";
import type { SourceRow } from "./catalogue/source-rows.ts";
import {
  addRoleCounts,
  NO_ROLE_COUNTS,
  addTallies,
  EMPTY_TALLY,
  type Tally,
  uncountedRows,
} from "./catalogue/tally.ts";
import type { Content, PublishedSource } from "../snapshot.ts";

export interface PointsOptions {
  readonly snapshots: SnapshotKeeper;
  /** Called for each stored live batch and each published source. */
  readonly compactor: Pick<Compactor, "downsample" | "mergePublished" | "noteBatch">;
  readonly figures: (scope: StoreScope) => StoredFigures;
}

export function openPoints(
  file: SqliteFile,
  scope: StoreScope,
  { snapshots, compactor, figures }: PointsOptions,
): Points {
  const { reading, queue, room } = file;
  const find = (id: string) => reading.loadTests.find(scope, id);
  const findToWrite = (id: string) => file.writing.loadTests.find(scope, id);
  return {
    figures: figures(scope),
    append: (batch) =>
      queue.begin(async () => {
        const loadTest = find(batch.loadTestId);
        if (loadTest === undefined) throw unknownLoadTest(batch.loadTestId);
        room.require();
        const prepared = await prepareBatch(file, loadTest, batch);
        const added = await queue.write(() => {
          const { points } = prepared.contents;
          const appended = appendBatch(file, prepared);
          if (appended?.change !== undefined) queue.note({ ...appended.change, points });
          return appended;
        }, prepared.bytes);
        releasePrepared(prepared);
        if (added?.change !== undefined) compactor.noteBatch(added.source.number);
        return appendedOf(prepared, added, (revision) => snapshots.revisionText(revision));
      }),
    async sources(loadTestId) {
      const loadTest = find(loadTestId);
      const visible = loadTest === undefined ? [] : reading.sources.visible(loadTest.number);
      return visible.flatMap(({ id, published }) =>
        published === undefined ? [] : { loadTestId, sourceId: id, ...published },
      );
    },
    async findContent(content) {
      return reading.sources.withContent(content).flatMap(({ id, loadTest, published }) => {
        const found = reading.loadTests.get(loadTest);
        if (found === undefined || published === undefined || !isIn(scope, found)) return [];
        return { loadTestId: found.id, sourceId: id, ...published };
      });
    },
    async liveSources(loadTestId) {
      const loadTest = find(loadTestId);
      return loadTest === undefined ? [] : reading.sources.live(loadTest.number);
    },
    async publish(source, replaces = [], batches) {
      const shown = await queue.write(() =>
        publishSource(file, findToWrite(source.loadTestId), source, { replaces, batches }),
      );
      if (shown !== undefined) await compactor.mergePublished(shown.number);
      return { duplicate: shown === undefined };
    },
    async discard(loadTestId, sourceId) {
      room.makeRoom();
      await queue.write(() => discardSource(file, findToWrite(loadTestId), sourceId));
      await snapshots.collectGarbage();
    },
    async withdraw(loadTestId, sourceId) {
      room.makeRoom();
      await queue.write(() => withdrawSource(file, findToWrite(loadTestId), sourceId));
    },
    async downsample(loadTestId) {
      const loadTest = find(loadTestId);
      if (loadTest === undefined) throw unknownLoadTest(loadTestId);
      room.require();
      return compactor.downsample(loadTest);
    },
    async snapshot(loadTestId) {
      return snapshots.open(scope, loadTestId);
    },
    async snapshotBySource(loadTestId) {
      return snapshots.openBySource(scope, loadTestId);
    },
  };
}

/** Frees what was made of a batch and is stored: segments, and columns that are not those of the batch. */
export function releasePrepared({ batch, contents, blocks }: PreparedBatch): void {
  for (const { segments } of blocks) {
    for (const segment of Object.values(segments)) releaseMemory(segment);
  }
  const { columns, runs } = contents.points;
  if (columns === batch.points) return;
  const given = Object.values(batch.points).map((column) => column?.buffer);
  const own = [columns, factsOf(columns).runs, runs].flatMap((each) => Object.values(each));
  for (const column of own) {
    if (ArrayBuffer.isView(column) && !given.includes(column.buffer)) releaseMemory(column);
  }
}

export interface AddedBatch {
  /** That now has the batch. */
  readonly source: SourceRow;
  /** `undefined` if the batch is not visible yet. */
  readonly change?: Omit<Change, "points"> | undefined;
}

export function appendedOf(
  { left }: Pick<PreparedBatch, "left">,
  added: AddedBatch | undefined,
  textOf: (revision: number) => string,
): Appended {
  if (added?.change === undefined) return { duplicate: added === undefined, ...left };
  const { before, after } = added.change;
  return {
    duplicate: false,
    ...left,
    revisions: { before: textOf(before), after: textOf(after) },
  };
}

/** Deletes a source that no reader ever saw, within a write transaction. */
export function forgetStaged({ writing }: WriteTarget, source: SourceRow): void {
  writing.blocks.discard(source);
  writing.sources.remove(source);
}

/** Returns `undefined` if the source already had the batch. */
export function appendBatch(
  file: WriteTarget,
  { batch, loadTest, contents, digest, tally, blocks, level }: PreparedBatch,
): AddedBatch | undefined {
  const { writing } = file;
  const row = writing.loadTests.get(loadTest);
  if (row === undefined) throw unknownLoadTest(batch.loadTestId);
  const found = writing.sources.find(loadTest, batch.sourceId);
  const { sourceId: id, visibility, format } = batch;
  const source = found ?? writing.sources.add(loadTest, { id, visibility, format });
  requireSameVisibility(batch, source.visibility);
  const earlier = writing.sources.batchDigest(source, batch.sequence);
  if (earlier !== undefined) {
    if (Buffer.compare(earlier, digest) === 0) return undefined;
    throw sequenceReused(batch);
  }
  if (source.published !== undefined) throw sourceIsClosed(batch);
  requireNotWithdrawn(batch, writing.sources.isWithdrawn(source));
  if (batch.follows !== undefined) requireLast(batch, writing.sources.lastSequence(source));
  const counted = addBatch(file, source, { batch, digest, tally });
  writing.reported.add(source, batch.sequence, contents.reported);
  if (visibility === "staged") {
    const { endpoints: own } = source.tally;
    requireLabelRoom(file, row, {
      atMost: row.endpoints + sizeOfSet(counted.endpoints),
      before: () => [...writing.sources.visible(loadTest).map((each) => each.tally.endpoints), own],
      added: tally.endpoints,
      order: batch.labels,
    });
  }
  writing.sources.saveTally(source, counted, file.now());
  const revision = batch.visibility === "live" ? writing.nextRevision() : undefined;
  writing.samples.add(source, batch.sequence, { samples: batch.samples, revision });
  const home = { load_test: loadTest, source: source.number, shown_from: revision, level };
  for (const block of blocks) writing.blocks.add(home, block);
  if (revision !== undefined) {
    writing.sources.addQuality(source, batch);
    const change = { revision, source, counted, tally, order: batch.labels };
    saveAppended(file, row, change);
  }
  if (revision === undefined) return { source };
  return {
    source,
    change: {
      loadTest,
      before: row.revision,
      after: revision,
      isFirst: row.blocks === 0,
    },
  };
}

/**
 * Records a batch of a source and returns the new state of the source. Roles of a staged source are counted
 * once, when it is published. Throws `sum-too-large`.
 */
function addBatch(
  { writing }: WriteTarget,
  source: SourceRow,
  { batch, digest, tally }: Pick<PreparedBatch, "batch" | "digest" | "tally">,
): Tally {
  const isStaged = batch.visibility === "staged";
  const later = isStaged ? tally.roleCounts : NO_ROLE_COUNTS;
  writing.sources.addBatch(source, batch.sequence, digest, later);
  const added = isStaged ? { ...tally, roleCounts: NO_ROLE_COUNTS } : tally;
  const counted = addTallies([source.tally, added]);
  if (counted.requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(batch.loadTestId);
  return counted;
}

interface Publishing {
  readonly replaces: readonly string[];
  readonly batches: number | undefined;
}

/** See `Points.publish`. Returns the published source; `undefined` if the load test already shows the same bytes. */
export function publishSource(
  file: WriteTarget,
  row: LoadTestRow | undefined,
  source: PublishedSource,
  { replaces, batches }: Publishing,
): SourceRow | undefined {
  const { writing } = file;
  if (row === undefined) throw unknownLoadTest(source.loadTestId);
  const staged =
    writing.sources.find(row.number, source.sourceId) ??
    writing.sources.add(row.number, { id: source.sourceId, visibility: "staged" });
  requireStaged(source, staged.visibility);
  if (isShown(file, row, source, replaces)) {
    if (staged.published === undefined) forgetStaged(file, staged);
    return undefined;
  }
  requireUnpublished(source, staged.published);
  requireBatches(source, writing.sources.batches(staged), batches);
  const revision = writing.nextRevision();
  let blocksAdded = staged.tally.blocks;
  for (const sourceId of replaces) {
    const replaced = writing.sources.find(row.number, sourceId);
    const isThere = replaced !== undefined && isVisible(replaced);
    if (!isThere || writing.sources.isWithdrawn(replaced)) throw sourceReplaced(source);
    if (isSameContent(source, replaced.published)) {
      writing.files.moveOriginal(row.number, sourceId, source.sourceId);
    }
    blocksAdded -= takeOut(file, replaced, revision);
  }
  const roleCounts = addRoleCounts([
    staged.tally.roleCounts,
    writing.sources.takeRoleCounts(staged),
  ]);
  if (roleCounts.size > 0) {
    writing.sources.saveTally(staged, { ...staged.tally, roleCounts }, file.now());
  }
  writing.blocks.publish(staged, revision);
  writing.sources.markPublished(staged, source);
  const { endpoints: added } = staged.tally;
  saveVisible(file, row, {
    revision,
    blocksAdded,
    source: { ...staged, tally: EMPTY_TALLY },
    added,
  });
  return staged;
}

/** See `Points.discard`. */
export function discardSource(
  file: WriteTarget,
  row: LoadTestRow | undefined,
  sourceId: string,
): void {
  const source = row && file.writing.sources.find(row.number, sourceId);
  if (source !== undefined && !isVisible(source)) forgetStaged(file, source);
}

/** See `Points.withdraw`. */
export function withdrawSource(
  file: WriteTarget,
  row: LoadTestRow | undefined,
  sourceId: string,
): void {
  const { sources, nextRevision } = file.writing;
  const source = row && sources.find(row.number, sourceId);
  if (row === undefined || source === undefined || !isVisible(source)) return;
  if (sources.isWithdrawn(source)) return;
  const revision = nextRevision();
  const blocksRemoved = takeOut(file, source, revision);
  const change = { blocksAdded: -blocksRemoved, source, added: EMPTY_TALLY.endpoints };
  saveVisible(file, row, { revision, ...change });
}

/** Takes out a visible source and returns the number of its blocks. A live one stays known, so that no delayed batch brings it back. */
function takeOut(
  { writing: { sources, blocks }, now }: WriteTarget,
  source: SourceRow,
  revision: number,
): number {
  if (source.visibility === "live") {
    sources.saveTally(source, EMPTY_TALLY, now());
    sources.markWithdrawn(source);
  } else {
    sources.remove(source);
  }
  return blocks.remove(source, revision, now());
}

/** Whether the load test shows the same bytes already, in a source that is not replaced. */
function isShown(
  { writing }: WriteTarget,
  row: LoadTestRow,
  source: PublishedSource,
  replaces: readonly string[],
): boolean {
  return writing.sources
    .visible(row.number)
    .some(({ id, published }) => !replaces.includes(id) && isSameContent(source, published));
}

function isSameContent({ digest, sizeBytes }: Content, other: Content | undefined): boolean {
  return other?.digest === digest && other.sizeBytes === sizeBytes;
}

function isVisible(source: SourceRow): boolean {
  return source.visibility === "live" || source.published !== undefined;
}

interface VisibleChange {
  readonly revision: number;
  readonly blocksAdded: number;
  /** Row before the change. */
  readonly source: SourceRow;
  /** Endpoints visible after the change, with or without the earlier ones. */
  readonly added: Uint8Array;
  /** Their labels in the order of arrival, if known. */
  readonly order?: readonly string[];
}

/** Recounts visible data from the counts of the sources. Throws `too-many-labels`, `sum-too-large`. */
function saveVisible(
  file: WriteTarget,
  row: LoadTestRow,
  { revision, blocksAdded, source, added, order }: VisibleChange,
): void {
  const { writing } = file;
  const visible = writing.sources.visible(row.number);
  const tallies = visible.map(({ tally }) => tally);
  const tally = tallies.length === 0 ? EMPTY_TALLY : addTallies(tallies);
  if (tally.requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(row.id);
  const others = visible.filter(({ number }) => number !== source.number);
  const before = () => [...others, source].map((each) => each.tally.endpoints);
  const uncounted = uncountedRows(tally);
  const endpoints = showLabels(file, row, { before, added, after: tally.endpoints, order });
  writing.loadTests.save({
    ...row,
    revision,
    blocks: row.blocks + blocksAdded,
    endpoints,
    requests: tally.requests,
    failed_requests: tally.failedRequests,
    hidden_endpoints: hiddenLabels(file, row, { endpoints, tally, hidden: uncounted.hidden }),
    uncounted_requests: uncounted.requests,
    uncounted_failed_requests: uncounted.failedRequests,
    first_second: tally.firstSecond ?? null,
    last_second: tally.lastSecond ?? null,
    last_data_at_ms: file.now(),
  });
}

interface Hiding {
  readonly endpoints: number;
  readonly tally: Tally;
  readonly hidden: readonly number[];
}

/** Labels of which no series is shown. */
function hiddenLabels(
  file: WriteTarget,
  { number }: LoadTestRow,
  { endpoints, tally, hidden }: Hiding,
): number {
  if (hidden.length === 0) return 0;
  const isHidden = new Set(hidden);
  const shown = numbersIn(tally.endpoints).filter((endpoint) => !isHidden.has(endpoint));
  return endpoints - labelsIn(file, number, encodeEndpointSet(shown));
}

interface AppendedChange {
  readonly revision: number;
  /** Row before the change. */
  readonly source: SourceRow;
  /** Counts after the change. */
  readonly counted: Tally;
  readonly tally: Tally;
  readonly order: readonly string[];
}

/** Updates the counts for a batch of a live source. Throws `too-many-labels`, `sum-too-large`. */
function saveAppended(
  file: WriteTarget,
  row: LoadTestRow,
  { revision, source, counted, tally, order }: AppendedChange,
): void {
  const hasRoles = counted.roleCounts.size > 0;
  if (!hasRoles && Buffer.compare(counted.endpoints, source.tally.endpoints) === 0) {
    addVisible(file, row, { revision, tally });
  } else {
    const change = { blocksAdded: tally.blocks, source, added: tally.endpoints };
    saveVisible(file, row, { revision, ...change, order });
  }
}

/** No endpoint is new to the source and all are requests: the other, perhaps many, sources need not be read. */
function addVisible(
  { writing, now }: WriteTarget,
  row: LoadTestRow,
  { revision, tally }: { readonly revision: number; readonly tally: Tally },
): void {
  const shown: Tally = {
    ...EMPTY_TALLY,
    requests: row.requests,
    failedRequests: row.failed_requests,
    firstSecond: row.first_second ?? undefined,
    lastSecond: row.last_second ?? undefined,
  };
  const counted = addTallies([shown, tally]);
  if (counted.requests > Number.MAX_SAFE_INTEGER) throw tooManyRequests(row.id);
  writing.loadTests.save({
    ...row,
    revision,
    blocks: row.blocks + counted.blocks,
    requests: counted.requests,
    failed_requests: counted.failedRequests,
    first_second: counted.firstSecond ?? null,
    last_second: counted.lastSecond ?? null,
    last_data_at_ms: now(),
  });
}
