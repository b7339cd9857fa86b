import type { Test, Tests } from "../../api/tests.ts";
import { isBaseline, verdictIn } from "../../catalogue/baseline.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { type LoadTestSummary, positionOf } from "../../model/load-test.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Points, Store } from "../../store/store.ts";
import { readTrendRows } from "../trend/trend-rows.ts";
import { type LastChange, lastChange } from "./last-change.ts";

export interface TestsQuery {
  /** Text that names contain, ignoring case. @default any */
  readonly search?: string | undefined;
  /** Of tests. */
  readonly limit: number;
}

type ReadStore = Pick<Store, "loadTests" | "points"> & Partial<Pick<Store, "version">>;

/** The latest runs that are read of all tests. */
export const READ_MAX = 5000;

/** Latest runs in which changes of a test are found, and those that are shown. */
const SERIES_MAX = 50;
const SHOWN_MAX = 20;

/** After this long, tests that were not read yet are pending. */
const PATIENCE_MS = 300;

/** What costs time to compute; the rest is in the list. */
interface TestFigures extends LastChange {
  /** Of the shown runs. */
  readonly p95: readonly (number | null)[];
  readonly errRate: readonly (number | null)[];
}

/** By the runs and their data, so that nothing has to be forgotten: about 4 KB each. */
const remembered = new WeakMap<object, LruCache<string, TestFigures>>();
const REMEMBERED_MAX = 1000;

/**
 * The tests by name, latest run first, with figures and changes of their latest runs. Those for which there was no time are `pending`; each call
 * computes further ones. Throws `damaged-store` and what `summarise` throws.
 */
export async function readTests(
  store: ReadStore,
  { search = "", limit }: TestsQuery,
): Promise<Tests> {
  const { points } = store;
  const listed = await latestRuns(store);
  const wanted = search.toLowerCase();
  const byName = Map.groupBy(listed, ({ name }) => name);
  const matching = [...byName].filter(([name]) => name.toLowerCase().includes(wanted));
  const endsMs = performance.now() + PATIENCE_MS;
  const tests: Test[] = [];
  for (const [name, runs] of matching.slice(0, limit)) {
    const series = runs.slice(0, SERIES_MAX).toReversed();
    const known = rememberedOf(points).get(keyOf(series));
    const figures = known ?? (performance.now() < endsMs ? await compute(points, series) : PENDING);
    tests.push(testOf(name, runs, figures));
  }
  return {
    tests,
    leftOut: {
      tests: Math.max(0, matching.length - limit),
      hasOlder: listed.length === READ_MAX,
    },
  };
}

/** Reads the list only if the store has changed. */
async function latestRuns(store: ReadStore): Promise<readonly LoadTestSummary[]> {
  const version = await store.version?.();
  const known = lists.get(store.loadTests);
  if (known !== undefined && version !== undefined && known.version === version) {
    return known.listed;
  }
  const listed = await store.loadTests.list({ limit: READ_MAX });
  lists.set(store.loadTests, { version, listed });
  return listed;
}

interface ReadList {
  readonly version: unknown;
  readonly listed: readonly LoadTestSummary[];
}

const lists = new WeakMap<object, ReadList>();

const PENDING: TestFigures = {
  state: "pending",
  changes: [],
  moreChanges: 0,
  p95: [],
  errRate: [],
};

function testOf(name: string, runs: readonly LoadTestSummary[], figures: TestFigures): Test {
  const { p95, errRate, ...found } = figures;
  const shown = runs.slice(0, SHOWN_MAX).toReversed();
  return {
    name,
    loadTests: runs.length,
    runs: shown.map((run, at) => {
      const verdict = verdictIn(run);
      return {
        id: run.id,
        startedAt: Math.floor(positionOf(run).startedAtMs / 1000),
        ...(verdict && { verdict }),
        requests: run.requests,
        p95: p95[p95.length - shown.length + at] ?? null,
        errRate: errRate[errRate.length - shown.length + at] ?? null,
      };
    }),
    ...found,
  };
}

function rememberedOf(points: object): LruCache<string, TestFigures> {
  const known = remembered.get(points) ?? new LruCache<string, TestFigures>(REMEMBERED_MAX);
  remembered.set(points, known);
  return known;
}

/** Changes with any data of the runs. */
function keyOf(series: readonly LoadTestSummary[]): string {
  return JSON.stringify(
    series.map(({ id, createdAtMs, lastDataAtMs, requests, failedRequests, endpoints, tags }) => [
      [id, createdAtMs, lastDataAtMs, requests, failedRequests, endpoints],
      isBaseline({ tags }),
    ]),
  );
}

async function compute(points: Points, series: readonly LoadTestSummary[]): Promise<TestFigures> {
  const part = { selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };
  const { rows, qualities } = await readTrendRows({ points }, series, part);
  const told = series.map(({ id }, at) => ({ id, quality: qualities[at] ?? [] }));
  // The past before the baseline is settled.
  const skipped = Math.max(0, series.findLastIndex(isBaseline));
  const figures = {
    ...(await lastChange(rows, told.slice(skipped), skipped)),
    p95: rows.overall.p95.slice(-SHOWN_MAX),
    errRate: rows.overall.errRate.slice(-SHOWN_MAX),
  };
  rememberedOf(points).set(keyOf(series), figures);
  return figures;
}
