/** What is visible of load tests, in numbers. */

import { compareLabels } from "../../model/label.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { StoredLoadTest } from "./facts.ts";
import { anyPlace, type Heads } from "./head.ts";
import { labelCountQuery } from "./label-rows.ts";
import { type ClickHouseParts, shardAt } from "./parts.ts";
import type { BatchGroup, StoredSource } from "./sources.ts";
import { visibleRows } from "./visible.ts";

/** Load tests of one query. */
const AT_ONCE = 1000;

export async function summariesOf(
  parts: ClickHouseParts,
  loadTests: readonly StoredLoadTest[],
): Promise<readonly LoadTestSummary[]> {
  const byShard = Map.groupBy(loadTests, ({ place }) => place.shard);
  const chunks = [...byShard.values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / AT_ONCE) }, (_, chunk) =>
      own.slice(chunk * AT_ONCE, (chunk + 1) * AT_ONCE),
    ),
  );
  const summaries = await Promise.all(chunks.map((chunk) => summariesInShard(parts, chunk)));
  return summaries.flat();
}

async function summariesInShard(
  parts: ClickHouseParts,
  loadTests: readonly StoredLoadTest[],
): Promise<readonly LoadTestSummary[]> {
  const [first] = loadTests;
  if (first === undefined) return [];
  const places = loadTests.map(({ place }) => place);
  const heads = await parts.writers.of(first.place).heads(places);
  const endpoints = await endpointCounts(parts, heads, loadTests);
  return loadTests.map((stored) => {
    const { id } = stored.loadTest;
    const sources = heads.byId.get(id)?.sources ?? [];
    return summaryOf(stored, sources, endpoints.get(id) ?? 0);
  });
}

function summaryOf(
  { loadTest }: StoredLoadTest,
  sources: readonly StoredSource[],
  endpoints: number,
): LoadTestSummary {
  const visible = sources.filter(({ isVisible }) => isVisible);
  const groups = visible.flatMap(({ batches }) => batches ?? []);
  const sum = (pick: (group: BatchGroup) => number) =>
    groups.reduce((total, group) => total + pick(group), 0);
  const timed = groups.filter(({ untilSecond }) => untilSecond > 0);
  const formats = visible.flatMap(({ published, batches }) => {
    return published === undefined ? (batches?.about.format ?? []) : published.format;
  });
  return {
    ...loadTest,
    endpoints,
    requests: sum(({ requests }) => requests),
    failedRequests: sum(({ failedRequests }) => failedRequests),
    from: timed.length === 0 ? undefined : Math.min(...timed.map((group) => group.fromSecond)),
    until: timed.length === 0 ? undefined : Math.max(...timed.map((group) => group.untilSecond)),
    lastDataAtMs: lastDataAtMs(sources),
    formats: [...new Set(formats)].toSorted(compareLabels),
  };
}

/** When data became visible the last time, be they gone again. */
function lastDataAtMs(sources: readonly StoredSource[]): number | undefined {
  const times = sources.flatMap(({ isLive, batches, published }) => {
    return isLive ? (batches?.storedAtMs ?? []) : (published?.storedAtMs ?? []);
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

async function endpointCounts(
  { cluster }: ClickHouseParts,
  { node, byId }: Heads,
  loadTests: readonly StoredLoadTest[],
): Promise<ReadonlyMap<string, number>> {
  const { database } = cluster.settings;
  const shown = loadTests.filter(
    ({ place }) => visibleRows(byId.get(place.loadTestId)?.sources ?? []).length > 0,
  );
  const [whole, parted] = [shown.filter(isWhole), shown.filter((each) => !isWhole(each))];
  const counts = new Map<string, number>();
  const [first] = whole;
  if (first !== undefined) {
    const blocks = await shardAt(cluster, first.place).readOn(
      node,
      `SELECT load_test_id, uniqExact(endpoint_hash) AS a_endpoints FROM ${database}.measurements
WHERE kind = 'label' AND ${anyPlace(whole.map(({ place }) => place))} GROUP BY load_test_id`,
    );
    for (const block of blocks) {
      const numbers = block.numbers("a_endpoints");
      for (const [row, id] of block.strings("load_test_id").entries()) {
        counts.set(id, numbers[row] as number);
      }
    }
  }
  for (const { place } of parted) {
    const rows = visibleRows(byId.get(place.loadTestId)?.sources ?? []);
    const sql = labelCountQuery(database, place, rows);
    const [block] = await shardAt(cluster, place).readOn(node, sql);
    counts.set(place.loadTestId, block?.numbers("a_endpoints")[0] ?? 0);
  }
  return counts;

  /** Whether all that is stored of it is visible. */
  function isWhole({ place }: StoredLoadTest): boolean {
    const sources = byId.get(place.loadTestId)?.sources ?? [];
    return sources.every((source) => source.batches === undefined || isShownWhole(source));
  }
}

function isShownWhole({ isVisible, batches }: StoredSource): boolean {
  return isVisible && batches !== undefined && !batches.hasForks;
}
