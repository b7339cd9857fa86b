import {
  comparePositions,
  isWanted,
  type LoadTestQuery,
  type LoadTestSummary,
  positionOf,
} from "../model/load-test.ts";
import type { Store } from "../store/store.ts";

/** What answers are read from. */
export type ReadStore = Pick<Store, "loadTests" | "points" | "thresholds">;

/**
 * The part of a store that a link opens: in it, other load tests do not exist, nor what is kept for their names. It cannot
 * be written to. Load tests created after `sinceMs` are others, even if they have an id of `ids`.
 */
export function narrowStore(store: ReadStore, ids: readonly string[], sinceMs: number): ReadStore {
  const find = async (id: string): Promise<LoadTestSummary | undefined> => {
    const found = ids.includes(id) ? await store.loadTests.find(id) : undefined;
    return found !== undefined && found.createdAtMs <= sinceMs ? found : undefined;
  };
  const list = async (query: LoadTestQuery = {}): Promise<readonly LoadTestSummary[]> => {
    const found = (await Promise.all(ids.map(find))).filter((each) => each !== undefined);
    const wanted = found.filter((each) => isWanted(each, query));
    return wanted
      .toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)))
      .slice(0, query.limit);
  };
  const ifSeen = async <Value>(
    id: string,
    read: () => Promise<Value>,
  ): Promise<Value | undefined> => ((await find(id)) === undefined ? undefined : read());
  const { points, thresholds } = store;
  return {
    loadTests: { find, list, create: refuse, update: refuse, delete: refuse, deleteUnused: refuse },
    points: {
      sources: async (id) => (await ifSeen(id, () => points.sources(id))) ?? [],
      liveSources: async (id) => (await ifSeen(id, () => points.liveSources(id))) ?? [],
      snapshot: (id) => ifSeen(id, () => points.snapshot(id)),
      snapshotBySource: (id) => ifSeen(id, () => points.snapshotBySource(id)),
      findContent: refuse,
      append: refuse,
      publish: refuse,
      discard: refuse,
      withdraw: refuse,
    },
    thresholds: {
      async find(name) {
        const isNamed = (await list()).some((each) => each.name === name);
        return isNamed ? thresholds.find(name) : undefined;
      },
      keep: refuse,
    },
  };
}

/** The scope of a link does not let such requests through. */
async function refuse(): Promise<never> {
  throw new Error("BUG: a link asks for more than to read");
}
