/** Writes batches to ClickHouse exactly once and opens snapshots of them. */

import { compareLabels } from "../../model/label.ts";
import { unknownLoadTest } from "../../model/load-test.ts";
import type { Points } from "../store.ts";
import { contentsOf } from "./write/contents.ts";
import { MeasureRoom } from "./write/measure-room.ts";
import type { Compaction, StoredLoadTest } from "./catalogue/attributes.ts";
import { Downsampler } from "./compaction/downsampler.ts";
import type { SourceManifest } from "./read/source-manifest.ts";
import { LoadTestSources } from "./catalogue/load-test-sources.ts";
import { marksIn, marksQuery } from "./catalogue/marks.ts";
import { type ClickHouseParts } from "./parts.ts";
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

export function openPoints(parts: ClickHouseParts): Points {
  const { attributes, writers, touched } = parts;
  const find = async (loadTestId: string): Promise<StoredLoadTest | undefined> =>
    (await attributes.standing(loadTestId)).stored;
  const required = async (loadTestId: string): Promise<StoredLoadTest> => {
    const stored = await find(loadTestId);
    if (stored === undefined) throw unknownLoadTest(loadTestId);
    return stored;
  };
  const visibleSources = async (loadTestId: string): Promise<readonly StoredSource[]> => {
    const stored = await find(loadTestId);
    const sources = stored && (await new LoadTestSources(parts, stored).read());
    return sources?.filter(({ isVisible }) => isVisible) ?? [];
  };
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
  const measureRoom = new MeasureRoom(async (stored) => openSnapshot(await basisOf(parts, stored)));
  return {
    async append(batch) {
      const stored = await required(batch.loadTestId);
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
      const live = (await visibleSources(loadTestId)).filter(({ isLive }) => isLive);
      return live
        .toSorted((left, right) => compareLabels(left.sourceId, right.sourceId))
        .map(({ sourceId, batches }) => ({ sourceId, lastSequence: batches?.lastSequence ?? 0 }));
    },
    async publish(source, replaces = []) {
      const stored = await required(source.loadTestId);
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
  const { node, byId } = await writers.of(shardKey).manifest(shardKey);
  const sources = byId.get(shardKey.loadTestId)?.sources ?? [];
  const published = sources.filter((source) => source.isVisible && source.published !== undefined);
  if (published.length === 0) return [];
  const sql = marksQuery(cluster.settings.database, shardKey);
  const marks = marksIn(await shardAt(cluster, shardKey).readSmall(node, sql));
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
  const { node, byId } = await readManifests();
  const manifest = byId.get(shardKey.loadTestId) ?? { shardKey, sources: [] };
  const copy = compactionOf(stored, manifest);
  const narrow = copy && (await copies.look(node, shardKey, copy));
  const compaction = copy && narrow && { ...copy, narrow };
  const replica = new PinnedReplica(shardAt(cluster, shardKey), {
    manifest,
    node,
    readManifests,
    clockMs: parts.clockMs,
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
