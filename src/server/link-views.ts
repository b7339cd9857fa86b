import { openCatalogue } from "../catalogue/catalogue.ts";
import { LruCache } from "../concurrency/lru-cache.ts";
import type { KeyView, ViewOf } from "../http/key-view.ts";
import { createLoadTestRoutes } from "../http/routes/load-tests.ts";
import { createMetricsRoute } from "../http/routes/metrics.ts";
import { openMetrics } from "../query/read-metrics.ts";
import { openProject } from "../catalogue/environment-stretch.ts";
import { revisionOf, endpointSecondsOf } from "../series/open-snapshot.ts";
import { haveFigures } from "../model/load-test/search.ts";
import type { ThresholdsJson } from "../api/thresholds.ts";
import type { KeptFile } from "../model/kept-file.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { type FiguresText, OVERALL_FIGURES, type Store } from "../store/store.ts";
import { liveRoute, type StoreRouteDependencies, storeRoutes } from "./store-routes.ts";
import {
  comparePositions,
  isWanted,
  type LoadTest,
  type LoadTestQuery,
  type LoadTestSummary,
  positionOf,
} from "../model/load-test.ts";

const VIEWS_REMEMBERED = 100;

/**
 * What links see: the routes that read, over a store that has nothing but their load tests. The noise between runs of a
 * comparison is that of the whole project, and so are baseline and history of thresholds: verdicts are those that its maker saw.
 * They show neither who works there, which may be an e-mail address, nor where internal servers are.
 */
export function createLinkViews(whole: Store, dependencies: StoreRouteDependencies): ViewOf {
  const views = new LruCache<string, KeyView>(VIEWS_REMEMBERED);
  return ({ digest, loadTestIds, loadTestTimesMs = [], opensFiles, project }) => {
    if (loadTestIds === undefined) return undefined;
    const known = views.get(digest);
    if (known !== undefined) return known;
    const store = openProject(whole, project);
    const narrow = narrowStore(store, loadTestIds, loadTestTimesMs);
    const seen = opensFiles ? narrow : { ...narrow, files: NO_FILES };
    const history = loadTestIds.length > 1 ? store : seen;
    const { now, live } = dependencies;
    const reading = { ...dependencies, history, judged: store, traceUrl: undefined };
    const catalogue = openCatalogue({ ...seen, now, createLoadTestId: mistaken });
    const routes = [
      createMetricsRoute((query) => openMetrics(seen.points, query)),
      ...createLoadTestRoutes(catalogue, ""),
      ...storeRoutes(seen, reading),
      ...(live === undefined ? [] : [liveRoute(catalogue, live, project)]),
    ];
    const allowed = routes.filter(({ scope }) => scope === "read");
    const view: KeyView = {
      name: digest,
      revisionOf: (loadTestId) => revisionOf(store.points, loadTestId),
      endpointSecondsOf: (loadTestId, range) =>
        endpointSecondsOf(seen.loadTests, loadTestId, range),
      routes: new Map(allowed.map((route) => [route.operationId, route])),
    };
    views.set(digest, view);
    return view;
  };
}

type ReadStore = Pick<Store, "files" | "loadTests" | "points" | "thresholds">;

/** Of a link that opens none. */
const NO_FILES: ReadStore["files"] = {
  list: async () => [],
  find: async () => undefined,
  begin: mistaken,
  remove: refuse,
};

/**
 * The part of a store that a link opens: in it, other load tests do not exist, nor what is kept for their names, nor the names of
 * authors and owners, nor queries to be pulled. It cannot be written to. Load tests of `ids` that were not created at `timesMs` are others.
 */
function narrowStore(
  store: ReadStore,
  ids: readonly string[],
  timesMs: readonly number[],
): ReadStore {
  const isOpened = ({ id, createdAtMs }: Pick<LoadTest, "id" | "createdAtMs">): boolean =>
    ids.some((each, at) => each === id && createdAtMs === timesMs[at]);
  const find = async (id: string): Promise<LoadTestSummary | undefined> => {
    const found = ids.includes(id) ? await store.loadTests.find(id) : undefined;
    return found !== undefined && isOpened(found) ? withoutAuthors(found) : undefined;
  };
  const list = async (query: LoadTestQuery = {}): Promise<readonly LoadTestSummary[]> => {
    const found = (await Promise.all(ids.map(find))).filter((each) => each !== undefined);
    const { terms = [], lacks } = query;
    const stored = terms.some(({ kind }) => kind === "figure")
      ? await store.points.figures.find(ids, OVERALL_FIGURES)
      : new Map<string, FiguresText>();
    const wanted = found.filter((each) => {
      const { text } = stored.get(each.id) ?? {};
      if (lacks !== undefined && (each.requests === 0 || text !== undefined)) return false;
      return isWanted(each, query) && haveFigures(text, terms);
    });
    return wanted
      .toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)))
      .slice(0, query.limit);
  };
  /** Checks again after reading: another load test could have taken the id in between. */
  const ifSeen = async <Value>(
    id: string,
    read: () => Promise<Value>,
  ): Promise<Value | undefined> => {
    if ((await find(id)) === undefined) return undefined;
    const value = await read();
    return (await find(id)) === undefined ? undefined : value;
  };
  const openIfSeen = async <Opened extends Pick<Snapshot, "loadTest" | "release">>(
    id: string,
    open: () => Promise<Opened | undefined>,
  ): Promise<Opened | undefined> => {
    const snapshot = ids.includes(id) ? await open() : undefined;
    if (snapshot === undefined) return undefined;
    const { loadTest } = snapshot;
    if (isOpened(loadTest)) return { ...snapshot, loadTest: withoutAuthors(loadTest) };
    snapshot.release();
    return undefined;
  };
  const { files, points, thresholds } = store;
  return {
    loadTests: {
      find,
      list,
      create: refuse,
      update: refuse,
      delete: refuse,
      deleteIf: refuse,
      deleteUnused: refuse,
    },
    points: {
      sources: async (id) => (await ifSeen(id, () => points.sources(id))) ?? [],
      liveSources: async (id) => (await ifSeen(id, () => points.liveSources(id))) ?? [],
      snapshot: (id) => openIfSeen(id, () => points.snapshot(id)),
      snapshotBySource: (id) => openIfSeen(id, () => points.snapshotBySource(id)),
      figures: points.figures,
      findContent: refuse,
      append: refuse,
      publish: refuse,
      discard: refuse,
      withdraw: refuse,
      downsample: refuse,
    },
    files: {
      list: async (id) => ((await ifSeen(id, () => files.list(id))) ?? []).map(withoutAuthor),
      async find(id, file) {
        const found = await ifSeen(id, () => files.find(id, file));
        return found && withoutAuthor(found);
      },
      begin: mistaken,
      remove: refuse,
    },
    thresholds: {
      async find(name) {
        const isNamed = (await list()).some((each) => each.name === name);
        const text = isNamed ? await thresholds.find(name) : undefined;
        return text && shownThresholds(text);
      },
      keep: refuse,
    },
  };
}

function withoutAuthors<Opened extends Pick<LoadTest, "events">>(opened: Opened): Opened {
  const { events } = opened;
  return events === undefined ? opened : { ...opened, events: events.map(withoutAuthor) };
}

function withoutAuthor<Written extends Pick<KeptFile, "author">>(written: Written) {
  const { author: _, ...shown } = written;
  return shown;
}

/** Expressions, and what they mean for the verdict. */
function shownThresholds(text: string): string {
  const { thresholds } = JSON.parse(text) as ThresholdsJson;
  return JSON.stringify({ thresholds: thresholds.map(({ owner: _owner, ...shown }) => shown) });
}

/** The scope of a link does not let such requests through. */
async function refuse(): Promise<never> {
  return mistaken();
}

function mistaken(): never {
  throw new Error("BUG: a link asks for more than to read");
}
