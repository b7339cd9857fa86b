/** Snapshot of one load test: exactly the batches that were visible at one time. */

import { compareLabels } from "../../../model/label.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { derivedRole, type Role, ROLES } from "../../../model/role.ts";
import type { EndpointLabel } from "../write/contents.ts";
import type { StoredLoadTest } from "../catalogue/attributes.ts";
import type { SourceManifest } from "./source-manifest.ts";
import { labelsIn, labelsQuery } from "./label-rows.ts";
import type { PinnedReplica } from "../cluster/pinned-replica.ts";
import { type ReadableCompaction, Reading } from "./reading.ts";
import type { StoredSource } from "../catalogue/sources.ts";
import { marksIn, marksQuery } from "../catalogue/marks.ts";
import { listedIndex } from "../../listed-index.ts";
import { contentsDigest, revisionOf, type SourceRows, visibleRows } from "./visible.ts";
import type {
  EndpointIndex,
  Readings,
  Snapshot,
  SourceReading,
  SourcesSnapshot,
  VisibleSource,
} from "../../snapshot.ts";

export interface SnapshotBasis {
  readonly database: string;
  readonly stored: StoredLoadTest;
  /** A copy of all visible data on the replica. */
  readonly compaction: ReadableCompaction | undefined;
  readonly manifest: SourceManifest;
  readonly replica: PinnedReplica;
}

export function openSnapshot(basis: SnapshotBasis): Snapshot {
  const { stored, manifest } = basis;
  const rows = visibleRows(manifest.sources);
  const visible = manifest.sources.filter(({ isVisible }) => isVisible);
  const labels = new VisibleLabels(basis, rows);
  const reading = readingOf(basis, visible, labels);
  const read: Snapshot["read"] = (endpoints, range, detail) =>
    reading.series(endpoints, range, detail) as never;
  let index: EndpointIndex | undefined;
  return {
    loadTest: stored.loadTest,
    revision: revisionOf(stored, manifest.sources),
    index: async () => (index ??= listedIndex((await labels.all()).map(endpointOf), { read })),
    read,
    ...detailsOf(reading, labels),
    sources: async () =>
      visible
        .toSorted((left, right) => compareLabels(left.sourceId, right.sourceId))
        .map((source) => aboutSource(stored.shardKey.loadTestId, source, NO_MARKS)),
    reported: async (sourceId) => reading.reported(sourceId, await labels.numbersByHash()),
    // Deleted or replaced rows stay for an hour (`sweeper.ts`).
    release() {},
  };
}

export async function openSourcesSnapshot(basis: SnapshotBasis): Promise<SourcesSnapshot> {
  const { database, stored, replica } = basis;
  const marks = marksIn(await Array.fromAsync(replica.ask(marksQuery(database, stored.shardKey))));
  const visible = basis.manifest.sources.filter(({ isVisible }) => isVisible);
  const whole = new VisibleLabels(basis, visibleRows(visible));
  const sources = visible
    .toSorted((left, right) => compareLabels(left.sourceId, right.sourceId))
    .map((source) => sourceReading({ ...basis, marks }, source, whole));
  return { loadTest: basis.stored.loadTest, sources, release() {} };
}

function sourceReading(
  basis: SnapshotBasis & { readonly marks: ReadonlyMap<bigint, string> },
  source: StoredSource,
  whole: VisibleLabels,
): SourceReading {
  const rows = visibleRows([source]);
  const own = new VisibleLabels(basis, rows);
  const reading = readingOf(basis, [source], own);
  return {
    ...aboutSource(basis.stored.shardKey.loadTestId, source, basis.marks),
    reported: async () => reading.reported(source.sourceId, await whole.numbersByHash()),
    async endpoints() {
      const all = await whole.all();
      const numberOf = new Map(all.map(({ label }, number) => [label, number]));
      return (await own.all()).map(({ label, role }) => ({
        endpoint: { number: numberOf.get(label) as number, label },
        role: ROLES[role] as Role,
      }));
    },
    read: (endpoints, range, detail) => reading.series(endpoints, range, detail) as never,
    ...detailsOf(reading, whole),
  };
}

function detailsOf(reading: Reading, labels: VisibleLabels): Omit<Readings, "read"> {
  return {
    failures: (endpoints, range) => reading.failures(endpoints, range),
    users: (range) => reading.users(range),
    measureIndex: async () => reading.measureIndex(await labels.numbersByHash()),
    async *measures(series, range) {
      yield* reading.measures(series, range, await labels.numbersByHash());
    },
  };
}

/** Marks are needed only to copy a source. */
const NO_MARKS: ReadonlyMap<bigint, string> = new Map();

function aboutSource(
  loadTestId: string,
  source: StoredSource,
  marks: ReadonlyMap<bigint, string>,
): VisibleSource {
  const { sourceId, published, batches } = source;
  return {
    sourceId,
    published: published && publishedOf(loadTestId, source, marks),
    format: published === undefined ? batches?.about.format : published.format,
    unrecorded: published === undefined ? batches?.about.unrecorded : undefined,
  };
}

/** Builds the port's description of a published source; `allMarks` are those of its load test. */
export function publishedOf(
  loadTestId: string,
  { sourceId, published, number }: StoredSource,
  allMarks: ReadonlyMap<bigint, string>,
): NonNullable<SourceReading["published"]> {
  if (published === undefined) throw new Error(`BUG: source "${sourceId}" is not published`);
  const { name, format, sizeBytes, digest, quality } = published;
  const marks = allMarks.get(number);
  const identity = { sizeBytes, digest, ...(marks === undefined ? {} : { marks }) };
  return { loadTestId, sourceId, name, format, ...identity, ...(quality && { quality }) };
}

/** Labels of some sources in the order of responses, read once on demand. */
class VisibleLabels {
  readonly rows: readonly SourceRows[];
  readonly #basis: SnapshotBasis;
  #all: Promise<readonly EndpointLabel[]> | undefined;
  /** Available after reading. */
  #hashes: ReadonlySet<string> | undefined;

  constructor(basis: SnapshotBasis, rows: readonly SourceRows[]) {
    this.#basis = basis;
    this.rows = rows;
  }

  all(): Promise<readonly EndpointLabel[]> {
    this.#all ??= this.#read();
    return this.#all;
  }

  /** Returns the number of an endpoint by the hash of its label. */
  async numbersByHash(): Promise<(hash: string) => number | undefined> {
    const all = await this.all();
    const numbers = new Map(all.map(({ hash }, number) => [hash, number]));
    return (hash) => numbers.get(hash);
  }

  /** Whether these distinct hashes are known to be those of all labels. */
  areAll(hashes: readonly string[]): boolean {
    const all = this.#hashes;
    return all?.size === hashes.length && hashes.every((hash) => all.has(hash));
  }

  async #read(): Promise<readonly EndpointLabel[]> {
    const { database, stored, replica } = this.#basis;
    if (this.rows.length === 0) return [];
    const sql = labelsQuery(database, stored.shardKey, this.rows);
    const labels = labelsIn(await Array.fromAsync(replica.ask(sql)));
    this.#hashes = new Set(labels.map(({ hash }) => hash));
    return labels.toSorted((left, right) => compareLabels(left.label, right.label));
  }
}

function endpointOf({ label, role: index }: EndpointLabel, number: number): Endpoint {
  const role = derivedRole(ROLES[index]);
  return role === undefined ? { number, label } : { number, label, role };
}

function readingOf(
  { database, stored, compaction, replica }: SnapshotBasis,
  sources: readonly StoredSource[],
  labels: VisibleLabels,
): Reading {
  const groups = sources.flatMap(({ batches }) => batches ?? []);
  const seconds = groups.filter(({ untilSecond }) => untilSecond > 0);
  const first = seconds.reduce((least, { fromSecond }) => Math.min(least, fromSecond), Infinity);
  const last = seconds.reduce((most, { untilSecond }) => Math.max(most, untilSecond), 0);
  const isCompacted =
    compaction !== undefined && compaction.contents === contentsDigest(sources, stored);
  return new Reading({
    database,
    shardKey: stored.shardKey,
    minutes: stored.minutes,
    rows: labels.rows,
    areAll: (hashes) => labels.areAll(hashes),
    compaction: isCompacted ? compaction : undefined,
    // Second 0 adds one.
    pointsPerEndpoint: seconds.length === 0 ? 1 : last - first + 2,
    ask: (sql) => replica.ask(sql),
  });
}
