import { compareLabels } from "../../model/label.ts";
import type { Points } from "../store.ts";
import { contentsOf, type FitMeasures } from "./write/contents.ts";
import type { Compaction, StoredLoadTest } from "./catalogue/attributes.ts";
import { Downsampler } from "./compaction/downsampler.ts";
import { type SourceManifest, sourcesIn } from "./read/source-manifest.ts";
import { LoadTestSources } from "./catalogue/load-test-sources.ts";
import { marksIn, marksQuery } from "./catalogue/marks.ts";
import type { ClickHouseParts } from "./parts.ts";
import { PinnedReplica } from "./cluster/pinned-replica.ts";
import {
  openSnapshot,
  openSourcesSnapshot,
  publishedOf,
  type SnapshotBasis,
} from "./read/snapshot.ts";
import type { StoredSource } from "./catalogue/sources.ts";
import { contentsDigest } from "./read/visible.ts";
import { shardAt } from "./cluster/cluster.ts";
import type { PublishedSource } from "../snapshot.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import type { MeasureSeries } from "../../model/measures/measure-table.ts";
import { keyOfSeries } from "../../model/measures/merge-measures.ts";
import { fittingMeasures } from "../stored-measures.ts";

/** Writes batches to ClickHouse exactly once and opens snapshots of them. */
export function openPoints(parts: ClickHouseParts): Points {
  const { attributes, writers, touched } = parts;
  const find = async (loadTestId: string): Promise<StoredLoadTest | undefined> =>
    (await attributes.standing(loadTestId)).stored;
  /** Runs `work` on the sources of a load test while this process writes nothing else there. */
  const change = async <Result>(
    stored: StoredLoadTest,
    work: (sources: LoadTestSources) => Promise<Result>,
  ): Promise<Result> => {
    const { shardKey } = stored;
    const result = await writers
      .of(shardKey)
      .runExclusive(() => work(new LoadTestSources(parts, stored)));
    touched.add(shardKey.loadTestId);
    return result;
  };
  const downsampler = new Downsampler(parts);
  const measureRoom = new MeasureRoom(parts);
  return {
    async append(batch) {
      const stored = await attributes.required(batch.loadTestId);
      const fit = batch.measures && (await measureRoom.of(stored));
      const contents = contentsOf(batch, fit);
      const answer = await writers.of(stored.shardKey).append(stored, batch, contents);
      touched.add(batch.loadTestId);
      return answer;
    },
    async sources(loadTestId) {
      const stored = await find(loadTestId);
      return stored === undefined ? [] : publishedSources(parts, stored);
    },
    async findContent({ sizeBytes, digest }) {
      const ids = await attributes.idsOf({ sizeBytes, digest });
      const sources = await Promise.all(ids.map((id) => this.sources(id)));
      return sources
        .flat()
        .filter((source) => source.sizeBytes === sizeBytes && source.digest === digest);
    },
    async liveSources(loadTestId) {
      const stored = await find(loadTestId);
      const sources = stored === undefined ? [] : await new LoadTestSources(parts, stored).read();
      return sources
        .filter(({ isVisible, isLive }) => isVisible && isLive)
        .toSorted((left, right) => compareLabels(left.sourceId, right.sourceId))
        .map(({ sourceId, batches }) => ({ sourceId, lastSequence: batches?.lastSequence ?? 0 }));
    },
    async publish(source, replaces = []) {
      const stored = await attributes.required(source.loadTestId);
      return change(stored, (sources) => sources.publish(source, replaces));
    },
    async discard(loadTestId, sourceId) {
      const stored = await find(loadTestId);
      if (stored !== undefined) await change(stored, (sources) => sources.discard(sourceId));
    },
    async withdraw(loadTestId, sourceId) {
      const stored = await find(loadTestId);
      if (stored !== undefined) await change(stored, (sources) => sources.withdraw(sourceId));
    },
    downsample: (loadTestId) => downsampler.downsample(loadTestId),
    async snapshot(loadTestId) {
      const stored = await find(loadTestId);
      return stored && openSnapshot(await basisOf(parts, stored));
    },
    async snapshotBySource(loadTestId) {
      const stored = await find(loadTestId);
      return stored && openSourcesSnapshot(await basisOf(parts, stored));
    },
  };
}

async function publishedSources(
  { writers, cluster }: ClickHouseParts,
  { shardKey }: StoredLoadTest,
): Promise<readonly PublishedSource[]> {
  const manifests = await writers.of(shardKey).manifest(shardKey);
  const sources = sourcesIn(manifests, shardKey);
  const published = sources.filter((source) => source.isVisible && source.published !== undefined);
  if (published.length === 0) return [];
  const sql = marksQuery(cluster.settings.database, shardKey);
  const marks = marksIn(await shardAt(cluster, shardKey).readSmall(manifests.node, sql));
  return published
    .toSorted(byTimeOfPublishing)
    .map((source) => publishedOf(shardKey.loadTestId, source, marks));
}

function byTimeOfPublishing(left: StoredSource, right: StoredSource): number {
  const [one, other] = [left.published?.storedAtMs ?? 0, right.published?.storedAtMs ?? 0];
  return one - other || compareLabels(left.sourceId, right.sourceId);
}

async function basisOf(parts: ClickHouseParts, stored: StoredLoadTest): Promise<SnapshotBasis> {
  const { cluster, writers, copies } = parts;
  const { shardKey } = stored;
  const readManifests = () => writers.of(shardKey).manifest(shardKey);
  const manifests = await readManifests();
  const { node } = manifests;
  const manifest = { shardKey, sources: sourcesIn(manifests, shardKey) };
  const copy = compactionOf(stored, manifest);
  const narrow = copy && (await copies.look(node, shardKey, copy));
  const compaction = copy && narrow && { ...copy, narrow };
  const replica = new PinnedReplica(shardAt(cluster, shardKey), {
    manifest,
    node,
    readManifests,
    hasCopy: async (other) =>
      compaction === undefined || copies.isWhole(other, shardKey, compaction),
  });
  const { database } = cluster.settings;
  return { database, stored, compaction, manifest, replica };
}

/** Returns the copy of exactly the visible data, if any. */
function compactionOf(stored: StoredLoadTest, { sources }: SourceManifest): Compaction | undefined {
  const { compaction } = stored;
  return compaction?.contents === contentsDigest(sources, stored) ? compaction : undefined;
}

const LOAD_TESTS_REMEMBERED = 64;

/** Keeps load tests within the limit of series, by visible ones and own writes; other processes may add some. */
class MeasureRoom {
  readonly #parts: ClickHouseParts;
  readonly #known = new LruCache<string, Promise<Set<string>>>(LOAD_TESTS_REMEMBERED);

  constructor(parts: ClickHouseParts) {
    this.#parts = parts;
  }

  /** Returns what cuts off the measures of a batch. */
  async of(stored: StoredLoadTest): Promise<FitMeasures> {
    const { loadTestId, incarnation } = stored.shardKey;
    const name = `${loadTestId} ${incarnation}`;
    const reading = this.#known.get(name) ?? this.#read(stored);
    this.#known.set(name, reading);
    reading.catch(() => this.#known.delete(name));
    const known = await reading;
    return (measures, labels) => {
      const fitting = fittingMeasures(measures, known, (series) =>
        keyByText(series, labels[series.label ?? -1]),
      );
      for (const key of fitting.added) known.add(key);
      return fitting.measures;
    };
  }

  async #read(stored: StoredLoadTest): Promise<Set<string>> {
    const snapshot = openSnapshot(await basisOf(this.#parts, stored));
    try {
      const { series } = await snapshot.measureIndex();
      const numbers = [...new Set(series.flatMap(({ label }) => label ?? []))];
      const endpoints = await (await snapshot.index()).named(Uint32Array.from(numbers));
      const texts = new Map(endpoints.map(({ number, label }) => [number, label]));
      return new Set(series.map((each) => keyByText(each, texts.get(each.label ?? -1))));
    } finally {
      snapshot.release();
    }
  }
}

function keyByText(series: MeasureSeries, label: string | undefined): string {
  return `${keyOfSeries({ ...series, label: undefined })} ${JSON.stringify(label ?? null)}`;
}
