/** Copying one load test from a store to another. */

import { UserError } from "../../model/errors.ts";
import type { LoadTest, LoadTestSummary } from "../../model/load-test.ts";
import type { PublishedSource, SourceReading, SourcesSnapshot, Store } from "../../store/store.ts";
import { compareSources } from "./compare-sources.ts";
import { copiedSource } from "./copied-source.ts";
import { interruptibleSources, unlessInterrupted } from "./interruptible-sources.ts";
import { BATCH_ROWS, columnBytes, sourceBatches } from "./source-batches.ts";

/** What is used of a store that load tests are copied from, or to. */
type StorePart = Pick<Store, "loadTests" | "points">;

export interface CopyPlaces {
  readonly from: StorePart;
  readonly to: StorePart;
  /** Ends a copy at once, wherever it is; what was sent stays, and a further run goes on with it. */
  readonly interrupted: AbortSignal;
  /** Told of each step that was done. */
  readonly progress: (step: CopyStep) => void;
  /** Rows of a batch. @default `BATCH_ROWS` */
  readonly batchRows?: number;
}

export interface CopyStep {
  readonly loadTestId: string;
  readonly doing: "copying" | "comparing";
  /** Points that this step went through. */
  readonly points: number;
}

export interface CopiedLoadTest {
  /** Those that are on the other side now, and how many of them this run has published. */
  readonly sources: number;
  readonly copiedSources: number;
  /** What this run has sent, be it new or there already from a run that was broken off. */
  readonly points: number;
  readonly bytes: number;
  /** What is not the same on both sides, as sentences; not more than `DIFFERENCES_MAX`. */
  readonly differences: readonly string[];
}

/** Differences beyond these tell nothing new. */
const DIFFERENCES_MAX = 10;

/**
 * Copies a load test source by source, and reads both sides back afterwards. What an earlier run has
 * brought stays and is not doubled, however it ended. Throws `unknown-load-test`, `load-test-exists`
 * where another load test has the id, the reason of `interrupted`, and what the stores throw.
 */
export async function copyLoadTest(
  loadTest: LoadTestSummary,
  places: CopyPlaces,
): Promise<CopiedLoadTest> {
  const { interrupted } = places;
  const original = await openSources(places.from, loadTest.id, interrupted);
  try {
    await makeLoadTest(original.loadTest, places.to);
    const copied = await copySources(original, loadTest, places);
    await finishLoadTest(original.loadTest, places.to);
    const copy = await openSources(places.to, loadTest.id, interrupted);
    try {
      const differences = await differencesOf(original, copy, loadTest, places);
      return { sources: original.sources.length, ...copied, differences };
    } finally {
      copy.release();
    }
  } finally {
    original.release();
  }
}

async function openSources(
  store: StorePart,
  id: string,
  interrupted: AbortSignal,
): Promise<SourcesSnapshot> {
  const snapshot = await store.points.snapshotBySource(id);
  if (snapshot !== undefined) return interruptibleSources(snapshot, interrupted);
  throw new UserError("unknown-load-test", `load test "${id}" went while it was copied`);
}

/** Makes it as it began, or finds it as an earlier run has made it. */
async function makeLoadTest(loadTest: LoadTest, { loadTests }: StorePart): Promise<void> {
  const { id, name, createdAtMs, tags, pinned } = loadTest;
  const found = await loadTests.find(id);
  if (found === undefined) await loadTests.create({ id, name, createdAtMs, tags, pinned });
  else if (found.createdAtMs !== createdAtMs) throw otherLoadTest(loadTest, found);
}

function otherLoadTest({ id, createdAtMs }: LoadTest, found: LoadTest): UserError {
  const [here, there] = [createdAtMs, found.createdAtMs].map((ms) => new Date(ms).toISOString());
  return new UserError(
    "load-test-exists",
    `cannot copy load test "${id}", created at ${here}: there is another one of this id, created at ${there}`,
  );
}

/** What may have changed since an earlier run, and what says that no more will come. */
async function finishLoadTest(loadTest: LoadTest, { loadTests }: StorePart): Promise<void> {
  const { id, name, tags, pinned, finishedAtMs } = loadTest;
  const found = await loadTests.find(id);
  // One that is finished keeps its time, unless it goes on in between.
  if (found?.finishedAtMs !== finishedAtMs) await loadTests.update(id, { finishedAtMs: undefined });
  await loadTests.update(id, { name, tags, pinned, finishedAtMs });
}

type Copied = Pick<CopiedLoadTest, "copiedSources" | "points" | "bytes">;

async function copySources(
  { sources }: SourcesSnapshot,
  loadTest: LoadTestSummary,
  places: CopyPlaces,
): Promise<Copied> {
  const there = await places.to.points.sources(loadTest.id);
  const known = new Set(there.map(({ sourceId }) => sourceId));
  let [copiedSources, points, bytes] = [0, 0, 0];
  for (const source of sources) {
    if (known.has(source.sourceId)) continue;
    const published = copiedSource(source, loadTest.id);
    const sent = await stageSource(source, published, loadTest, places);
    // It also merges what is many and small, which can take long; not to wait for it harms nothing.
    await unlessInterrupted(places.to.points.publish(published), places.interrupted);
    copiedSources += 1;
    points += sent.points;
    bytes += sent.bytes;
  }
  return { copiedSources, points, bytes };
}

type Sent = Pick<Copied, "points" | "bytes">;

/** Sends all that a source holds. What was staged of another state of it is forgotten first. */
async function stageSource(
  source: SourceReading,
  published: PublishedSource,
  loadTest: LoadTestSummary,
  places: CopyPlaces,
): Promise<Sent> {
  try {
    return await sendBatches(source, published, loadTest, places);
  } catch (error) {
    if (!(error instanceof UserError && error.code === "sequence-reused")) throw error;
    await places.to.points.discard(published.loadTestId, published.sourceId);
    return await sendBatches(source, published, loadTest, places);
  }
}

async function sendBatches(
  source: SourceReading,
  { loadTestId, sourceId }: PublishedSource,
  loadTest: LoadTestSummary,
  { to, progress, batchRows = BATCH_ROWS }: CopyPlaces,
): Promise<Sent> {
  let [sequence, points, bytes] = [0, 0, 0];
  // While one batch is written, the next one is read.
  let written: Promise<unknown> = Promise.resolve();
  try {
    for await (const contents of sourceBatches(source, loadTest, batchRows)) {
      await written;
      const about = { loadTestId, sourceId, visibility: "staged", sequence } as const;
      written = to.points.append({ ...about, ...contents });
      // It is waited for below; until then it must not count as a failure that nobody looks at.
      written.catch(() => undefined);
      sequence += 1;
      points += contents.points.second.length;
      bytes += columnBytes(contents);
      progress({ loadTestId, doing: "copying", points: contents.points.second.length });
    }
  } finally {
    await written;
  }
  return { points, bytes };
}

async function differencesOf(
  original: SourcesSnapshot,
  copy: SourcesSnapshot,
  loadTest: LoadTestSummary,
  { progress }: CopyPlaces,
): Promise<readonly string[]> {
  const differences: string[] = [];
  const compared = (points: number): void =>
    progress({ loadTestId: loadTest.id, doing: "comparing", points });
  for await (const difference of compareSources(original, copy, { seconds: loadTest, compared })) {
    differences.push(difference);
    if (differences.length === DIFFERENCES_MAX) break;
  }
  return differences;
}
