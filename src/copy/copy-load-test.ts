import { isDeepStrictEqual } from "node:util";
import { Yielder } from "../concurrency/yielder.ts";
import { formatQuality, PULLED_MEASURES } from "../decode/format-quality.ts";
import { UserError } from "../model/errors.ts";
import type { LoadTest, LoadTestSummary } from "../model/load-test.ts";
import { attributesOf } from "../model/load-test/attributes.ts";
import { isBeginning, QualityCounter, type SourceQuality } from "../model/source-quality.ts";
import { copyFiles } from "./copy-files.ts";
import { BATCH_ROWS, columnBytes, sourceBatches } from "../series/source-batches.ts";
import type {
  PublishedSource,
  SourceReading,
  SourcesSnapshot,
  VisibleSource,
} from "../store/snapshot.ts";
import type { Store } from "../store/store.ts";

type ScopedStore = Pick<Store, "files" | "loadTests" | "points" | "thresholds">;

export interface CopyStores {
  readonly from: ScopedStore;
  readonly to: ScopedStore;
  /** Aborts the copy at once; what was sent stays, and a further run resumes. */
  readonly interrupted: AbortSignal;
  readonly progress: (step: CopyStep) => void;
  /** Of the batches that are sent and compared. @default `BATCH_ROWS` */
  readonly batchRows?: number;
}

export interface CopyStep {
  readonly loadTestId: string;
  readonly doing: "copying" | "comparing";
  readonly points: number;
}

export interface CopiedLoadTest {
  /** Sources in the target, and how many of them this run published. */
  readonly sources: number;
  readonly copiedSources: number;
  /** Sent by this run, including what an interrupted run had sent. */
  readonly points: number;
  readonly bytes: number;
  /** Differences of both sides as sentences, at most `DIFFERENCES_MAX`. */
  readonly differences: readonly string[];
}

const DIFFERENCES_MAX = 10;

/**
 * Copies a load test source by source and compares both sides afterwards. Repeatable: what is there is not
 * doubled, and a changed live source is copied again. Throws `unknown-load-test`, `load-test-exists`, the reason
 * of `interrupted`, and what the stores throw.
 */
export async function copyLoadTest(
  loadTest: LoadTestSummary,
  stores: CopyStores,
): Promise<CopiedLoadTest> {
  const original = await openSources(stores.from, loadTest.id, stores.interrupted);
  try {
    await makeLoadTest(original.loadTest, stores.to);
    const there = await stores.to.points.sources(loadTest.id);
    const { secondsPerPoint } = original.loadTest;
    const noteSeconds = () => stores.to.loadTests.update(loadTest.id, { secondsPerPoint });
    if (there.length === 0) await noteSeconds();
    const known = new Set(there.map(({ sourceId }) => sourceId));
    const here = new Set(original.sources.map(({ sourceId }) => sourceId));
    const alone = there.filter(({ sourceId }) => !here.has(sourceId));
    const missing = original.sources.filter(
      ({ sourceId, published }) =>
        !known.has(sourceId) && !alone.some((each) => published && hasGrownInto(published, each)),
    );
    let copied = await copySources(missing, loadTest, stores, alone);
    await finishLoadTest(original.loadTest, stores.to);
    let { differences, stale } = await compareSides(original, loadTest, stores);
    for (const source of stale) {
      await stores.to.points.withdraw(loadTest.id, source.sourceId);
      copied = sumOf(copied, await copySources([source], loadTest, stores));
    }
    if (stale.length > 0) ({ differences } = await compareSides(original, loadTest, stores));
    // An earlier copy keeps the seconds that the original has lost since.
    if (differences.length === 0) await noteSeconds();
    await copyThresholds(loadTest.name, stores);
    const { from, to, interrupted } = stores;
    const ofFiles = await copyFiles(loadTest.id, { from: from.files, to: to.files, interrupted });
    const shown = [...differences, ...ofFiles].slice(0, DIFFERENCES_MAX);
    return { sources: original.sources.length, ...copied, differences: shown };
  } finally {
    original.release();
  }
}

/** Leaves those of the target alone. */
async function copyThresholds(name: string, { from, to }: CopyStores): Promise<void> {
  const text = await from.thresholds.find(name);
  if (text === undefined || (await to.thresholds.find(name)) !== undefined) return;
  await to.thresholds.keep(name, text);
}

async function openSources(
  store: ScopedStore,
  id: string,
  interrupted: AbortSignal,
): Promise<SourcesSnapshot> {
  const snapshot = await store.points.snapshotBySource(id);
  if (snapshot !== undefined) return interruptibleSources(snapshot, interrupted);
  throw new UserError("unknown-load-test", `load test "${id}" was deleted while it was copied`);
}

/** Creates the load test, or finds the one of an earlier run. */
async function makeLoadTest(loadTest: LoadTest, { loadTests }: ScopedStore): Promise<void> {
  const { id, createdAtMs } = loadTest;
  const found = await loadTests.find(id);
  if (found === undefined) await loadTests.create(loadTest);
  else if (found.createdAtMs !== createdAtMs) throw otherLoadTest(loadTest, found);
}

function otherLoadTest({ id, createdAtMs }: LoadTest, found: LoadTest): UserError {
  const [here, there] = [createdAtMs, found.createdAtMs].map((ms) => new Date(ms).toISOString());
  return new UserError(
    "load-test-exists",
    `cannot copy load test "${id}", created at ${here}: another one with this id exists, created at ${there}`,
  );
}

/** Updates what may have changed since an earlier run, then marks it finished. */
async function finishLoadTest(loadTest: LoadTest, { loadTests }: ScopedStore): Promise<void> {
  const { id, finishedAtMs, events = [] } = loadTest;
  const found = await loadTests.find(id);
  // Keeps the time if it is finished already.
  if (found?.finishedAtMs !== finishedAtMs) await loadTests.update(id, { finishedAtMs: undefined });
  const attributes = attributesOf(loadTest);
  await loadTests.update(id, { ...attributes, finishedAtMs, events });
}

type Copied = Pick<CopiedLoadTest, "copiedSources" | "points" | "bytes">;

function sumOf(first: Copied, second: Copied): Copied {
  return {
    copiedSources: first.copiedSources + second.copiedSources,
    points: first.points + second.points,
    bytes: first.bytes + second.bytes,
  };
}

/** `alone`: sources that only the target has; those that the original replaced are replaced there, too. */
async function copySources(
  sources: readonly SourceReading[],
  loadTest: LoadTestSummary,
  stores: CopyStores,
  alone: readonly PublishedSource[] = [],
): Promise<Copied> {
  const left = new Set(alone);
  let [copiedSources, points, bytes] = [0, 0, 0];
  for (const source of sources) {
    const { quality, batches, ...sent } = await stageSource(source, loadTest, stores);
    const published = copiedSource(source, loadTest.id, liveQualityOf(source, quality));
    const replaced = [...left].filter((each) => isStateOf(each, published));
    for (const each of replaced) left.delete(each);
    const ids = replaced.map(({ sourceId }) => sourceId);
    // Publishing also merges small blocks, which can take long; aborting the wait is harmless.
    const publishing = stores.to.points.publish(published, ids, batches);
    await unlessInterrupted(publishing, stores.interrupted);
    copiedSources += 1;
    points += sent.points;
    bytes += sent.bytes;
  }
  return { copiedSources, points, bytes };
}

/** Whether a file is an equal or earlier state of another one, or has earlier values of the same query: in the original, `now` has replaced it. */
function isStateOf(file: PublishedSource, now: PublishedSource): boolean {
  const { sizeBytes, digest } = now;
  if (file.sizeBytes === sizeBytes && file.digest === digest) return true;
  if (file.format === PULLED_MEASURES && now.format === PULLED_MEASURES) {
    return file.name === now.name;
  }
  return hasGrownInto(file, now);
}

function hasGrownInto({ sizeBytes, marks }: PublishedSource, now: PublishedSource): boolean {
  if (marks === undefined || now.marks === undefined) return false;
  return isBeginning({ sizeBytes, marks }, { sizeBytes: now.sizeBytes, marks: now.marks });
}

interface Sent extends Pick<Copied, "points" | "bytes"> {
  readonly quality: QualityCounter;
  readonly batches: number;
}

/** Sends all data of a source, after deleting what was staged of another state. */
async function stageSource(
  source: SourceReading,
  loadTest: LoadTestSummary,
  stores: CopyStores,
): Promise<Sent> {
  try {
    return await sendBatches(source, loadTest, stores);
  } catch (error) {
    if (!(error instanceof UserError && error.code === "sequence-reused")) throw error;
    await stores.to.points.discard(loadTest.id, source.sourceId);
    return await sendBatches(source, loadTest, stores);
  }
}

async function sendBatches(
  source: SourceReading,
  loadTest: LoadTestSummary,
  { to, progress, batchRows = BATCH_ROWS }: CopyStores,
): Promise<Sent> {
  const [{ id: loadTestId }, { sourceId }] = [loadTest, source];
  let [sequence, points, bytes] = [0, 0, 0];
  const quality = new QualityCounter();
  // Reading overlaps with writing.
  let written: Promise<unknown> = Promise.resolve();
  try {
    for await (const contents of sourceBatches(source, loadTest, batchRows)) {
      await written;
      const about = { loadTestId, sourceId, visibility: "staged", sequence } as const;
      written = to.points.append({ ...about, ...contents });
      // Awaited below; avoids an unhandled rejection until then.
      written.catch(() => undefined);
      sequence += 1;
      points += contents.points.second.length;
      bytes += columnBytes(contents);
      quality.add(contents.points);
      progress({ loadTestId, doing: "copying", points: contents.points.second.length });
    }
  } finally {
    await written;
  }
  return { points, bytes, quality, batches: sequence };
}

async function compareSides(
  original: SourcesSnapshot,
  loadTest: LoadTestSummary,
  { to, interrupted, progress, batchRows = BATCH_ROWS }: CopyStores,
): Promise<Compared> {
  const copy = await openSources(to, loadTest.id, interrupted);
  const compared = (points: number): void =>
    progress({ loadTestId: loadTest.id, doing: "comparing", points });
  try {
    return await compareSources(original, copy, { seconds: loadTest, batchRows, compared });
  } finally {
    copy.release();
  }
}

/** Throws the reason of `interrupted` once it is set. Yields to the event loop, since a store in a file never waits. */
function interruptibleSources(
  snapshot: SourcesSnapshot,
  interrupted: AbortSignal,
): SourcesSnapshot {
  const yielder = new Yielder();

  async function* inTurns<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
    for await (const value of values) {
      if (yielder.isDue()) await yielder.next();
      interrupted.throwIfAborted();
      yield value;
    }
  }

  const openSource = (source: SourceReading): SourceReading => ({
    ...source,
    endpoints: () => unlessInterrupted(source.endpoints(), interrupted),
    // The overloads of `read` cannot be expressed in one body.
    read: (endpoints, range, detail) =>
      inTurns(source.read(endpoints, range, detail as "distribution")) as AsyncGenerator<never>,
    failures: (endpoints, range) => inTurns(source.failures(endpoints, range)),
    users: (range) => inTurns(source.users(range)),
  });

  return { ...snapshot, sources: snapshot.sources.map(openSource) };
}

/** Resolves to the result of `work`, unless interrupted first; `work` then continues unobserved. */
async function unlessInterrupted<Result>(
  work: Promise<Result>,
  interrupted: AbortSignal,
): Promise<Result> {
  const { promise: interruption, reject } = Promise.withResolvers<never>();
  const interrupt = (): void => reject(interrupted.reason);
  interrupted.addEventListener("abort", interrupt);
  if (interrupted.aborted) interrupt();
  try {
    return await Promise.race([work, interruption]);
  } finally {
    interrupted.removeEventListener("abort", interrupt);
  }
}

const UNKNOWN_FORMAT = "unknown";
/** Characters of a value that a difference shows. */
const SHOWN_MAX = 100;

interface Comparison {
  readonly seconds: Pick<LoadTestSummary, "from" | "until">;
  readonly batchRows: number;
  /** Gets the number of points compared since the last call. */
  readonly compared: (points: number) => void;
}

interface Compared {
  /** Sentences: the first difference of the load test, and of each source. */
  readonly differences: readonly string[];
  /** Live sources that have changed since they were copied. */
  readonly stale: readonly SourceReading[];
}

/** Compares load test, sources and contents. */
async function compareSources(
  original: SourcesSnapshot,
  copy: SourcesSnapshot,
  comparison: Comparison,
): Promise<Compared> {
  const stale: SourceReading[] = [];
  // Points say whether they are of the same seconds.
  const { secondsPerPoint } = original.loadTest;
  const copied = { ...copy.loadTest, secondsPerPoint };
  const differences = [differenceOf("the load test: ", original.loadTest, copied)];
  const copies = new Map(copy.sources.map((source) => [source.sourceId, source]));
  for (const source of original.sources) {
    const other = copies.get(source.sourceId);
    copies.delete(source.sourceId);
    const name = `source "${source.sourceId}"`;
    if (other?.published === undefined) {
      differences.push(`${name} is missing in the copy`);
      continue;
    }
    const { quality } = other.published;
    const expected = copiedSource(source, original.loadTest.id, quality);
    const otherSource = differenceOf(`${name}: `, expected, other.published);
    // What its points say of it is compared with them.
    const liveQuality =
      source.published === undefined ? liveQualityOf(source, { counted: quality }) : quality;
    const changed =
      differenceOf(`${name}: quality`, liveQuality, quality) ??
      (await differenceOfContents(source, other, comparison));
    if (changed !== undefined && otherSource === undefined && source.published === undefined)
      stale.push(source);
    differences.push(otherSource ?? changed);
  }
  for (const sourceId of copies.keys()) {
    differences.push(`source "${sourceId}" is in the copy alone`);
  }
  return { differences: differences.filter((each) => each !== undefined), stale };
}

async function differenceOfContents(
  original: SourceReading,
  copy: SourceReading,
  { seconds, batchRows, compared }: Comparison,
): Promise<string | undefined> {
  const copied = sourceBatches(copy, seconds, batchRows);
  try {
    for await (const batch of sourceBatches(original, seconds, batchRows)) {
      const { done, value } = await copied.next();
      const [first, last] = [batch.labels[0], batch.labels.at(-1)].map((each) => textOf(each));
      const labels = batch.labels.length === 0 ? "" : `, endpoints ${first} to ${last}`;
      const name = `source "${original.sourceId}"${labels}:`;
      const difference =
        done === true ? `${name} missing in the copy` : differenceOf(`${name} `, batch, value);
      if (difference !== undefined) return difference;
      compared(batch.points.second.length);
    }
    if ((await copied.next()).done === true) return undefined;
    return `source "${original.sourceId}": the copy has more`;
  } finally {
    await copied.return(undefined);
  }
}

/** Says where two values first differ; `undefined` if they are the same. */
function differenceOf(name: string, original: unknown, copy: unknown): string | undefined {
  if (isDeepStrictEqual(original, copy)) return undefined;
  if (!isObject(original) || !isObject(copy)) {
    return `${name} is ${textOf(original)}, in the copy ${textOf(copy)}`;
  }
  const members = new Set([...Object.keys(original), ...Object.keys(copy)]);
  for (const member of members) {
    const inList = ArrayBuffer.isView(original) || Array.isArray(original);
    const step = inList ? `[${member}]` : name.endsWith(" ") ? member : `.${member}`;
    const found = differenceOf(`${name}${step}`, original[member], copy[member]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/**
 * Returns how a source is published in the target. Published sources stay as they are, so that the same file is
 * recognised. A live source is closed: its id becomes its name, its digest matches no file.
 */
function copiedSource(
  { sourceId, published, format }: Pick<SourceReading, "sourceId" | "published" | "format">,
  loadTestId: string,
  liveQuality: SourceQuality,
): PublishedSource {
  if (published !== undefined) return published;
  return {
    loadTestId,
    sourceId,
    name: sourceId,
    format: format ?? UNKNOWN_FORMAT,
    sizeBytes: 0,
    digest: `live:${sourceId}`,
    quality: liveQuality,
  };
}

/** Returns the quality of a live source from its batches and points. */
function liveQualityOf(
  { format, unrecorded = formatQuality(format).unrecorded, quality }: VisibleSource,
  { counted }: Pick<QualityCounter, "counted">,
): SourceQuality {
  return { ...counted, unrecorded, ...(quality ?? { rejectedRows: 0 }) };
}
