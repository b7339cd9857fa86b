import { chunksOf } from "../../../model/columns.ts";
import { compareLabels } from "../../../model/label.ts";
import type { LoadTestSummary } from "../../../model/load-test.ts";
import type { ShardKey, StoredLoadTest } from "./attributes.ts";
import { anyShardKey, type SourceManifests, sourcesIn } from "../read/source-manifest.ts";
import { countsIn, countsQuery, type ShownCounts } from "../read/label-rows.ts";
import { type ClickHouseParts } from "../parts.ts";
import type { StoredSource } from "./sources.ts";
import { inBatches, ofShardKey, visibleRows } from "../read/visible.ts";
import { shardAt } from "../cluster/cluster.ts";

const AT_ONCE = 1000;

export async function summariesOf(
  parts: ClickHouseParts,
  loadTests: readonly StoredLoadTest[],
): Promise<readonly LoadTestSummary[]> {
  const byShard = Map.groupBy(loadTests, ({ shardKey }) => shardKey.shard);
  const chunks = [...byShard.values()].flatMap((own) => [...chunksOf(own, AT_ONCE)]);
  const summaries = await Promise.all(chunks.map((chunk) => summariesInShard(parts, chunk)));
  return summaries.flat();
}

async function summariesInShard(
  parts: ClickHouseParts,
  loadTests: readonly StoredLoadTest[],
): Promise<readonly LoadTestSummary[]> {
  const [first] = loadTests;
  if (first === undefined) return [];
  const shardKeys = loadTests.map(({ shardKey }) => shardKey);
  const manifests = await parts.writers.of(first.shardKey).manifests(shardKeys);
  const counts = await shownCounts(parts, manifests, loadTests);
  return loadTests.map((stored) => {
    const sources = sourcesIn(manifests, stored.shardKey);
    return summaryOf(stored, sources, counts.get(stored.loadTest.id) ?? NOTHING_SHOWN);
  });
}

const NOTHING_SHOWN: ShownCounts = { endpoints: 0, requests: 0, failedRequests: 0 };

function summaryOf(
  { loadTest }: StoredLoadTest,
  sources: readonly StoredSource[],
  counts: ShownCounts,
): LoadTestSummary {
  const visible = sources.filter(({ isVisible }) => isVisible);
  const groups = visible.flatMap(({ batches }) => batches ?? []);
  const timed = groups.filter(({ untilSecond }) => untilSecond > 0);
  const formats = visible.flatMap(({ published, batches }) => {
    return published === undefined ? (batches?.about.format ?? []) : published.format;
  });
  return {
    ...loadTest,
    ...counts,
    from: timed.length === 0 ? undefined : Math.min(...timed.map((group) => group.fromSecond)),
    until: timed.length === 0 ? undefined : Math.max(...timed.map((group) => group.untilSecond)),
    lastDataAtMs: lastDataAtMs(sources),
    formats: [...new Set(formats)].toSorted(compareLabels),
  };
}

/** When data last became visible, even if it was withdrawn since. */
function lastDataAtMs(sources: readonly StoredSource[]): number | undefined {
  const times = sources.flatMap(({ isLive, batches, published }) => {
    return isLive ? (batches?.storedAtMs ?? []) : (published?.storedAtMs ?? []);
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

async function shownCounts(
  { cluster }: ClickHouseParts,
  manifests: SourceManifests,
  loadTests: readonly StoredLoadTest[],
): Promise<ReadonlyMap<string, ShownCounts>> {
  const { database } = cluster.settings;
  const shown = loadTests.filter(
    ({ shardKey }) => visibleRows(sourcesIn(manifests, shardKey)).length > 0,
  );
  const [whole, parted] = [shown.filter(isWhole), shown.filter((each) => !isWhole(each))];
  const counts = new Map<string, ShownCounts>();
  const count = async (shardKey: ShardKey, rows: string): Promise<void> => {
    const blocks = await shardAt(cluster, shardKey).readOn(
      manifests.node,
      countsQuery(database, rows),
    );
    for (const [id, own] of countsIn(blocks)) counts.set(id, own);
  };
  const [first] = whole;
  if (first !== undefined)
    await count(first.shardKey, anyShardKey(whole.map(({ shardKey }) => shardKey)));
  for (const { shardKey } of parted) {
    const rows = visibleRows(sourcesIn(manifests, shardKey));
    await count(shardKey, `${ofShardKey(shardKey)} AND ${inBatches(rows)}`);
  }
  return counts;

  /** Whether all stored data is visible. */
  function isWhole({ shardKey }: StoredLoadTest): boolean {
    const sources = sourcesIn(manifests, shardKey);
    return sources.every((source) => source.batches === undefined || isShownWhole(source));
  }
}

function isShownWhole({ isVisible, batches }: StoredSource): boolean {
  if (!isVisible || batches === undefined) return false;
  return !batches.hasConflicts && batches.setAside.length === 0;
}
