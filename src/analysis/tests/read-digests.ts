import type { Digest, Digests, UnreadRun } from "../../api/tests.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { longestPoint } from "../../model/columns.ts";
import { unless, unlessUserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { openPercentiles } from "../../query/read-percentiles.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { revisionOf } from "../../series/open-snapshot.ts";
import type { FiguresText, Points, Store } from "../../store/store.ts";
import { type OnUnread, readRunValues, unlessReported } from "../trend/run-values.ts";

type ReadPoints = Pick<Points, "snapshot" | "figures">;

/** Load tests in one request. */
export const DIGESTS_MAX = 100;

/** Points of a digest, at most. */
const POINTS_MAX = 64;

/** Increment when another text is stored of the same data. */
const STORED_NAME = "digest 2";

/** A load test with newer data may still grow: its digest is not stored. */
const IDLE_MS = 60_000;

/** After this long, the rest is for the next request. */
const PATIENCE_MS = 300;

/** By revision: about 1 KB each. */
const remembered = new WeakMap<object, LruCache<string, Digest>>();
const REMEMBERED_MAX = 3000;

interface ReadStore {
  readonly loadTests: Pick<Store["loadTests"], "find">;
  readonly points: ReadPoints;
}

/** Digests of load tests, without unknown ones. Computes at least one that is not known. Those that cannot be read are named. */
export async function readDigests(
  { loadTests, points }: ReadStore,
  ids: readonly string[],
  now: () => number,
): Promise<Digests> {
  const endsMs = performance.now() + PATIENCE_MS;
  const stored = await points.figures.find(ids, STORED_NAME);
  const digests: Digest[] = [];
  const unread: UnreadRun[] = [];
  const onUnread: OnUnread = (at, message) => void unread.push({ id: at, message });
  let isComplete = true;
  for (const id of ids) {
    // Whoever asks may not see all that is stored.
    const loadTest = await loadTests.find(id);
    if (loadTest === undefined) continue;
    const known = await knownDigest(points, id, stored.get(id));
    const isLate = known === undefined && performance.now() > endsMs;
    if (isLate) isComplete = false;
    const digest = isLate
      ? undefined
      : (known ??
        (await computed(points, loadTest, now() - IDLE_MS).catch(unlessReported(id, onUnread))));
    if (digest !== undefined) digests.push(digest);
  }
  return { digests, isComplete, ...(unread.length > 0 && { unread }) };
}

function memoryOf(points: ReadPoints): LruCache<string, Digest> {
  const known = remembered.get(points) ?? new LruCache<string, Digest>(REMEMBERED_MAX);
  remembered.set(points, known);
  return known;
}

async function knownDigest(
  points: ReadPoints,
  id: string,
  stored: FiguresText | undefined,
): Promise<Digest | undefined> {
  if (stored !== undefined) return JSON.parse(stored.text) as Digest;
  return memoryOf(points).get(`${id} ${await revisionOf(points, id)}`);
}

/** Stored if its data is older. `undefined` if it was deleted meanwhile. */
async function computed(
  points: ReadPoints,
  loadTest: LoadTestSummary,
  idleAfterMs: number,
): Promise<Digest | undefined> {
  const { id, from = 0, until = 0, lastDataAtMs = Infinity } = loadTest;
  const whole = { selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };
  const values = await readRunValues(points, loadTest, whole);
  if (values === undefined) return undefined;
  const least = Math.max(1, Math.ceil((until - from + 1) / POINTS_MAX));
  const series = await unless("unknown-load-test", () => seriesOf(points, id, least));
  if (series === undefined) return undefined;
  const { count, p95 } = values.overall;
  const digest: Digest = { id, p95: count === 0 ? null : p95, ...series.digest };
  const { revision } = series;
  if (revision !== values.revision) return digest;
  memoryOf(points).set(`${id} ${revision}`, digest);
  if (lastDataAtMs < idleAfterMs) {
    const text = JSON.stringify(digest);
    await points.figures.keep(id, STORED_NAME, { revision, text }).catch(unlessUserError);
  }
  return digest;
}

/** In points of at least `resolution` seconds. */
async function seriesOf(points: ReadPoints, loadTestId: string, resolution: number) {
  const series = await readSeries(points, loadTestId, resolution);
  const recorded = longestPoint(series.digest.windows);
  // Of whole windows of the source: others would have the requests of one or of two.
  const whole = Math.ceil(resolution / recorded) * recorded;
  return whole === resolution ? series : readSeries(points, loadTestId, whole);
}

async function readSeries(points: ReadPoints, loadTestId: string, resolutionSeconds: number) {
  const answer = await openPercentiles(points, {
    loadTestId,
    selection: ALL_ENDPOINTS,
    range: undefined,
    resolutionSeconds,
    quantiles: [],
    isMerged: true,
  });
  try {
    const [series] = await Array.fromAsync(answer.series());
    const { second, sums } = series ?? {};
    const windows = sums?.windowSeconds;
    return {
      revision: answer.revision,
      digest: {
        resolution: resolutionSeconds,
        labels: [...(second ?? [])],
        ...(windows && { windows: [...windows] }),
        count: [...(sums?.requests ?? [])],
        errCount: [...(sums?.failedRequests ?? [])],
      },
    };
  } finally {
    answer.release();
  }
}
