import type { Test, Tests, UnreadRun } from "../../api/tests.ts";
import { TREND_FIGURES, type TrendLoadTest, type TrendValues } from "../../api/trend.ts";
import { isBaseline, verdictIn } from "../../catalogue/baseline.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { type LoadTestSummary, positionOf } from "../../model/load-test.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Points, Store } from "../../store/store.ts";
import { type FoundChange, findChanges } from "../trend/find-changes.ts";
import { reportedChange } from "../trend/read-trend.ts";
import { comparableValues } from "../trend/trend-figures.ts";
import type { OnUnread } from "../trend/run-values.ts";
import { type TrendRows, readTrendRows } from "../trend/trend-rows.ts";

export interface TestsQuery {
  /** Text that names contain, ignoring case. @default any */
  readonly search?: string | undefined;
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
interface TestFigures extends LastChange, Pick<Test, "unread"> {
  /** Of the shown runs. */
  readonly p95: readonly (number | null)[];
  readonly errRate: readonly (number | null)[];
}

/** By the runs and their data, so that nothing has to be forgotten: about 4 KB each. */
const remembered = new WeakMap<object, LruCache<string, TestFigures>>();
const REMEMBERED_MAX = 1000;

/**
 * The tests by name, latest run first, with figures and changes of their latest runs. Those for which there was no time are `pending`; each call
 * computes further ones. Runs that cannot be read are named, and left out.
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
  const known = knownLists.get(store.loadTests);
  if (known !== undefined && version !== undefined && known.version === version) {
    return known.listed;
  }
  const listed = await store.loadTests.list({ limit: READ_MAX });
  knownLists.set(store.loadTests, { version, listed });
  return listed;
}

interface ReadList {
  readonly version: unknown;
  readonly listed: readonly LoadTestSummary[];
}

const knownLists = new WeakMap<object, ReadList>();

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
  const unread: UnreadRun[] = [];
  const onUnread: OnUnread = (id, message) => void unread.push({ id, message });
  const { rows, qualities } = await readTrendRows({ points }, series, part, onUnread);
  const told = series.map(({ id }, at) => ({ id, quality: qualities[at] ?? [] }));
  // The past before the baseline is settled.
  const skipped = Math.max(0, series.findLastIndex(isBaseline));
  const figures = {
    ...(await lastChange(rows, told.slice(skipped), skipped)),
    p95: rows.overall.p95.slice(-SHOWN_MAX),
    errRate: rows.overall.errRate.slice(-SHOWN_MAX),
    ...(unread.length > 0 && { unread }),
  };
  rememberedOf(points).set(keyOf(series), figures);
  return figures;
}

/** Endpoints whose changes are found, the busiest. */
const ENDPOINTS_MAX = 100;

/** Named of those that changed together. */
const NAMED_MAX = 3;

/** A change has three runs before it and three after. */
const RUNS_MIN = 6;

type LastChange = Pick<Test, "state" | "changes" | "moreChanges">;

interface Changed extends FoundChange {
  readonly about: { readonly label?: string; readonly hash?: string };
}

/** The last change of a series that is still there: one for the worse, if there is any. `runs` are those of `rows` after the first `skipped`. */
async function lastChange(
  rows: TrendRows,
  runs: readonly Pick<TrendLoadTest, "id" | "quality">[],
  skipped: number,
): Promise<LastChange> {
  if (runs.length < RUNS_MIN) return { state: "short", changes: [], moreChanges: 0 };
  const cut = (values: TrendValues): TrendValues => {
    const lists = TREND_FIGURES.map((figure) => [figure, values[figure].slice(skipped)]);
    return comparableValues(Object.fromEntries(lists) as TrendValues, runs);
  };
  const endpoints = rows.endpoints(ENDPOINTS_MAX);
  const [ofWhole = []] = await findChanges([cut(rows.overall)]);
  const ofEndpoints = await findChanges(endpoints.map(cut));
  const lasting = [
    ...lastOf(ofWhole, {}),
    ...endpoints.flatMap(({ label, hash }, at) => lastOf(ofEndpoints[at] ?? [], { label, hash })),
  ];
  const worse = lasting.filter(({ before, after }) => after > before);
  const [state, ofState] =
    worse.length > 0 ? ["worse" as const, worse] : ["better" as const, lasting];
  const at = Math.max(...ofState.map((each) => each.at));
  const together = ofState.filter((each) => each.at === at);
  if (together.length === 0) return { state: "steady", changes: [], moreChanges: 0 };
  const named = [...Map.groupBy(together, ({ about }) => about.hash)]
    .flatMap(([, own]) => own.find(({ figure }) => figure === "p95") ?? own[0] ?? [])
    .toSorted((left, right) => sizeOf(right) - sizeOf(left));
  // All endpoints together change because some do.
  const ofEach = named.filter(({ about }) => about.hash !== undefined);
  const shown = ofEach.length === 0 ? named : ofEach;
  return {
    state,
    changes: shown.slice(0, NAMED_MAX).map((each) => reportedChange(each, runs)),
    moreChanges: Math.max(0, shown.length - NAMED_MAX),
  };
}

/** The last change of each statistic that is better high or low. */
function lastOf(found: readonly FoundChange[], about: Changed["about"]): readonly Changed[] {
  const judged = found.filter(({ figure }) => figure !== "count");
  const byFigure = Map.groupBy(judged, ({ figure }) => figure);
  return [...byFigure.values()].map((own) => {
    const last = own.reduce((latest, each) => (each.at > latest.at ? each : latest));
    return { ...last, about };
  });
}

/** So that twice as long and half as long are as large. */
function sizeOf({ before, after }: FoundChange): number {
  return Math.abs(Math.log(Math.max(after, 1e-9) / Math.max(before, 1e-9)));
}
