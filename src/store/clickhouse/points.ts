/** Writing batches to ClickHouse, exactly once, and opening snapshots of them. */

import { compareLabels } from "../../model/label.ts";
import { unknownLoadTest } from "../../model/unknown-load-test.ts";
import type { Points } from "../store.ts";
import { contentsOf } from "./contents.ts";
import type { Seal, StoredLoadTest } from "./facts.ts";
import type { Head } from "./head.ts";
import { LoadTestSources } from "./load-test-sources.ts";
import { type ClickHouseParts, shardAt } from "./parts.ts";
import { PinnedReplica } from "./pinned-replica.ts";
import { openSnapshot, openSourcesSnapshot, publishedOf, type SnapshotBasis } from "./snapshot.ts";
import type { StoredSource } from "./sources.ts";
import { contentsDigest } from "./visible.ts";

export function openPoints(parts: ClickHouseParts): Points {
  const { facts, writers, touched } = parts;
  const find = async (loadTestId: string): Promise<StoredLoadTest | undefined> =>
    (await facts.standing(loadTestId)).stored;
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
  /** Does something with the sources of a load test, while this process writes nothing else there. */
  const change = async <Result>(
    stored: StoredLoadTest,
    work: (sources: LoadTestSources) => Promise<Result>,
  ): Promise<Result> => {
    const { place } = stored;
    const result = await writers.of(place).alone(() => work(new LoadTestSources(parts, stored)));
    touched.add(place.loadTestId);
    return result;
  };
  return {
    async append(batch) {
      const stored = await required(batch.loadTestId);
      const answer = await writers.of(stored.place).append(stored, batch, contentsOf(batch));
      touched.add(batch.loadTestId);
      return answer;
    },
    async sources(loadTestId) {
      const visible = await visibleSources(loadTestId);
      return visible
        .filter(({ published }) => published !== undefined)
        .toSorted(byTimeOfPublishing)
        .map((source) => publishedOf(loadTestId, source));
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

function byTimeOfPublishing(left: StoredSource, right: StoredSource): number {
  const [one, other] = [left.published?.storedAtMs ?? 0, right.published?.storedAtMs ?? 0];
  return one - other || compareLabels(left.sourceId, right.sourceId);
}

async function basisOf(parts: ClickHouseParts, stored: StoredLoadTest): Promise<SnapshotBasis> {
  const { cluster, writers, copies } = parts;
  const { place } = stored;
  const readHeads = () => writers.of(place).head(place);
  const { node, byId } = await readHeads();
  const head = byId.get(place.loadTestId) ?? { place, sources: [] };
  const copy = sealOf(stored, head);
  const narrow = copy && (await copies.look(node, place, copy));
  const seal = copy && narrow && { ...copy, narrow };
  const replica = new PinnedReplica(shardAt(cluster, place), {
    head,
    node,
    readHeads,
    clockMs: parts.clockMs,
    hasCopy: async (other) => seal === undefined || copies.isWhole(other, place, seal),
  });
  const { database } = cluster.settings;
  return { database, stored, seal, head, replica };
}

/** The copy of just what is visible, if there is one. */
function sealOf({ seal }: StoredLoadTest, { sources }: Head): Seal | undefined {
  return seal?.contents === contentsDigest(sources) ? seal : undefined;
}
