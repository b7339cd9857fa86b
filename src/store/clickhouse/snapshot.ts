/** One load test at one instant: the batches that were visible then, and only they. */

import { compareLabels } from "../../model/label.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { derivedRole, type Role, ROLES } from "../../model/role.ts";
import type { Snapshot, SourceReading, SourcesSnapshot } from "../store.ts";
import type { ToldLabel } from "./contents.ts";
import type { StoredLoadTest } from "./facts.ts";
import type { Head } from "./head.ts";
import { labelsIn, labelsQuery } from "./label-rows.ts";
import type { NativeBlock } from "./native-block.ts";
import type { PinnedReplica } from "./pinned-replica.ts";
import { type ReadableSeal, Reading } from "./reading.ts";
import type { StoredSource } from "./sources.ts";
import { contentsDigest, revisionOf, type SourceRows, visibleRows } from "./visible.ts";

export interface SnapshotBasis {
  readonly database: string;
  readonly stored: StoredLoadTest;
  /** A copy that the replica has, of all that is visible. */
  readonly seal: ReadableSeal | undefined;
  readonly head: Head;
  readonly replica: PinnedReplica;
}

export function openSnapshot(basis: SnapshotBasis): Snapshot {
  const { stored, head } = basis;
  const rows = visibleRows(head.sources);
  const visible = head.sources.filter(({ isVisible }) => isVisible);
  const labels = new VisibleLabels(basis, rows);
  const reading = readingOf(basis, visible, labels);
  return {
    loadTest: stored.loadTest,
    revision: revisionOf(stored, head.sources),
    endpoints: async () => (await labels.all()).map(endpointOf),
    read: (endpoints, range, detail) => reading.series(endpoints, range, detail) as never,
    failures: (endpoints, range) => reading.failures(endpoints, range),
    users: (range) => reading.users(range),
    // What is read stays for an hour after it was deleted or replaced (`gone.ts`).
    release() {},
  };
}

export function openSourcesSnapshot(basis: SnapshotBasis): SourcesSnapshot {
  const visible = basis.head.sources.filter(({ isVisible }) => isVisible);
  const whole = new VisibleLabels(basis, visibleRows(visible));
  const sources = visible
    .toSorted((left, right) => compareLabels(left.sourceId, right.sourceId))
    .map((source) => sourceReading(basis, source, whole));
  return { loadTest: basis.stored.loadTest, sources, release() {} };
}

function sourceReading(
  basis: SnapshotBasis,
  source: StoredSource,
  whole: VisibleLabels,
): SourceReading {
  const rows = visibleRows([source]);
  const own = new VisibleLabels(basis, rows);
  const reading = readingOf(basis, [source], own);
  const { sourceId, published, batches } = source;
  return {
    sourceId,
    published: published && publishedOf(basis.stored.place.loadTestId, source),
    format: published === undefined ? batches?.about.format : published.format,
    async endpoints() {
      const all = await whole.all();
      const numberOf = new Map(all.map(({ label }, number) => [label, number]));
      return (await own.all()).map(({ label, role }) => ({
        endpoint: { number: numberOf.get(label) as number, label },
        role: ROLES[role] as Role,
      }));
    },
    read: (endpoints, range, detail) => reading.series(endpoints, range, detail) as never,
    failures: (endpoints, range) => reading.failures(endpoints, range),
    users: (range) => reading.users(range),
  };
}

/** What the port tells of a published source. */
export function publishedOf(
  loadTestId: string,
  { sourceId, published }: StoredSource,
): NonNullable<SourceReading["published"]> {
  if (published === undefined) throw new Error(`BUG: source "${sourceId}" is not published`);
  const { name, format, sizeBytes, digest } = published;
  return { loadTestId, sourceId, name, format, sizeBytes, digest };
}

/** The labels of some sources in the order of answers; read once, when they are asked for. */
class VisibleLabels {
  readonly rows: readonly SourceRows[];
  readonly #basis: SnapshotBasis;
  #all: Promise<readonly ToldLabel[]> | undefined;
  /** Once they are read. */
  #hashes: ReadonlySet<string> | undefined;

  constructor(basis: SnapshotBasis, rows: readonly SourceRows[]) {
    this.#basis = basis;
    this.rows = rows;
  }

  all(): Promise<readonly ToldLabel[]> {
    this.#all ??= this.#read();
    return this.#all;
  }

  /** Whether these hashes, of which none is given twice, are known to be those of all labels. */
  areAll(hashes: readonly string[]): boolean {
    const all = this.#hashes;
    return all?.size === hashes.length && hashes.every((hash) => all.has(hash));
  }

  async #read(): Promise<readonly ToldLabel[]> {
    const { database, stored, replica } = this.#basis;
    if (this.rows.length === 0) return [];
    const blocks: NativeBlock[] = [];
    const sql = labelsQuery(database, stored.place, this.rows);
    for await (const block of replica.ask(sql)) blocks.push(block);
    const labels = labelsIn(blocks);
    this.#hashes = new Set(labels.map(({ hash }) => hash));
    return labels.toSorted((left, right) => compareLabels(left.label, right.label));
  }
}

function endpointOf({ label, role: index }: ToldLabel, number: number): Endpoint {
  const role = derivedRole(ROLES[index]);
  return role === undefined ? { number, label } : { number, label, role };
}

function readingOf(
  { database, stored, seal, replica }: SnapshotBasis,
  sources: readonly StoredSource[],
  labels: VisibleLabels,
): Reading {
  const groups = sources.flatMap(({ batches }) => batches ?? []);
  const seconds = groups.filter(({ untilSecond }) => untilSecond > 0);
  const first = seconds.reduce((least, { fromSecond }) => Math.min(least, fromSecond), Infinity);
  const last = seconds.reduce((most, { untilSecond }) => Math.max(most, untilSecond), 0);
  const isSealed = seal !== undefined && seal.contents === contentsDigest(sources);
  return new Reading({
    database,
    place: stored.place,
    rows: labels.rows,
    areAll: (hashes) => labels.areAll(hashes),
    seal: isSealed ? seal : undefined,
    // Second 0 is one more.
    pointsPerEndpoint: seconds.length === 0 ? 1 : last - first + 2,
    ask: (sql) => replica.ask(sql),
  });
}
