/**
 * Projects share a store by their ids: a load test `x` of the project `web` is stored as `web/x`, and `/` is in no id. Load
 * tests without a project keep their ids. A project sees nothing else, since it can name nothing else.
 */

import { badParameter, UserError } from "../model/errors.ts";
import { isId } from "../model/id.ts";
import {
  isWanted,
  type LoadTest,
  type LoadTestSummary,
  positionOf,
  unknownLoadTest,
} from "../model/load-test.ts";
import { isEnvironment } from "../model/measures/environment.ts";
import type { PublishedSource, Snapshot, SourcesSnapshot } from "../store/snapshot.ts";
import type { StoredFigures, StoredTexts, LoadTests, Points, Store } from "../store/store.ts";
import { openWithEnvironments, type WholeStore } from "./environment-stretch.ts";

const SEPARATOR = "/";

/** In no name of load tests. */
const NAME_SEPARATOR = "\u001F";

const PROJECT_LENGTH_MAX = 64;

/** The load tests read at once while those of others are skipped. */
const PAGE = 100;

/** Returns the name of a project. Throws `bad-parameter`. */
export function checkProject(text: string): string {
  if (isId(text) && text.length <= PROJECT_LENGTH_MAX) return text;
  throw badParameter(
    `cannot use ${JSON.stringify(text.slice(0, 100))} as a project: expected 1 to ${PROJECT_LENGTH_MAX} of ` +
      "A-Z a-z 0-9 . _ -, but not . or ..",
  );
}

/** The part of a store that belongs to a project; `undefined`: to none. Keys, version and damage are those of the store. */
export function projectStore(store: Store, project: string | undefined): Store {
  const names = namesOf(project);
  return {
    loadTests: openLoadTests(store, names),
    points: openPoints(store, names),
    keys: store.keys,
    thresholds: openThresholds(store.thresholds, project),
    audit: {
      add: (entry) => store.audit.add({ ...entry, project }),
      list: (query) => store.audit.list({ ...query, project }),
    },
    version: () => store.version(),
    verify: () => store.verify(),
    close: () => store.close(),
  };
}

export function projectsIn(loadTests: readonly Pick<LoadTest, "id">[]): readonly string[] {
  const parts = loadTests.flatMap(({ id }) => id.split(SEPARATOR).slice(0, -1));
  return [...new Set(parts.filter((part) => !isEnvironment(part)))];
}

/** What live senders of a project need to go on, by what they write to: under names that no load test has. */
export function senderStates(
  { thresholds }: Pick<Store, "thresholds">,
  project: string | undefined,
): StoredTexts {
  const nameOf = (target: string): string => stateName(prefixOf(project) + target);
  return {
    find: (target) => thresholds.find(nameOf(target)),
    keep: (target, text) => thresholds.keep(nameOf(target), text),
  };
}

/** What the judge of a project has begun: under a name that no load test has. */
export function judgeNotes({ thresholds }: Pick<Store, "thresholds">, project: string | undefined) {
  const name = stateName(prefixOf(project) + NAME_SEPARATOR);
  return {
    find: () => thresholds.find(name),
    keep: (text: string | undefined) => thresholds.keep(name, text),
  };
}

function stateName(stored: string): string {
  return NAME_SEPARATOR + stored;
}

/** Whether an id in the store is of the project; `undefined`: of none. */
export function isOfProject(stored: string, project: string | undefined): boolean {
  const prefix = prefixOf(project);
  return stored.startsWith(prefix) && !stored.includes(SEPARATOR, prefix.length);
}

/** What precedes the ids of a project in the store. */
export function prefixOf(project: string | undefined): string {
  return project === undefined ? "" : project + SEPARATOR;
}

/** Translates ids of a project from and to those of the store. */
interface Names {
  readonly isOwn: (stored: string) => boolean;
  readonly shown: (stored: string) => string;
  /** Throws `unknown-load-test` if no load test of the project can have this id. */
  readonly required: (id: string) => string;
  /** Runs `work` with the id in the store, as `required` returns it. Messages name ids as the project does. */
  readonly within: <Value>(id: string, work: (stored: string) => Promise<Value>) => Promise<Value>;
  /** The same; `undefined` if no load test of the project can have this id. */
  readonly ifAny: <Value>(
    id: string,
    work: (stored: string) => Promise<Value>,
  ) => Promise<Value | undefined>;
}

function namesOf(project: string | undefined): Names {
  const prefix = prefixOf(project);
  const within: Names["within"] = async (id, work) => {
    try {
      return await work(names.required(id));
    } catch (error) {
      if (error instanceof UserError && prefix !== "") {
        error.message = error.message.replaceAll(`"${prefix}`, '"');
      }
      throw error;
    }
  };
  const names: Names = {
    isOwn: (stored) => isOfProject(stored, project),
    shown: (stored) => stored.slice(prefix.length),
    required(id) {
      if (id.includes(SEPARATOR)) throw unknownLoadTest(id);
      return prefix + id;
    },
    within,
    ifAny: async (id, work) => (id.includes(SEPARATOR) ? undefined : within(id, work)),
  };
  return names;
}

function openLoadTests({ loadTests, thresholds }: Store, names: Names): LoadTests {
  return {
    create: (loadTest) => names.within(loadTest.id, (id) => loadTests.create({ ...loadTest, id })),
    async find(id) {
      const found = await names.ifAny(id, (stored) => loadTests.find(stored));
      return found && shownIn(names, found);
    },
    async list({ limit = Infinity, after, ...query } = {}) {
      const found: LoadTestSummary[] = [];
      let from = after && { ...after, id: names.required(after.id) };
      for (;;) {
        const rows = limit === Infinity ? undefined : Math.max(limit - found.length, PAGE);
        const page = await loadTests.list({ ...query, after: from, limit: rows });
        const own = page.filter(({ id }) => names.isOwn(id)).map((each) => shownIn(names, each));
        // A search must not find the name of the project.
        found.push(...own.filter((each) => isWanted(each, query)));
        const last = page.at(-1);
        const isAll = rows === undefined || page.length < rows || last === undefined;
        if (isAll || found.length >= limit) return found.slice(0, limit);
        from = positionOf(last);
      }
    },
    update: (id, change) =>
      names.within(id, async (stored) => shownIn(names, await loadTests.update(stored, change))),
    delete: (id) =>
      names.within(id, async (stored) => {
        await loadTests.delete(stored);
        const state = stateName(stored);
        if ((await thresholds.find(state)) !== undefined) await thresholds.keep(state, undefined);
      }),
    deleteUnused: (id) => names.ifAny(id, (stored) => loadTests.deleteUnused(stored)),
  };
}

function openPoints(store: WholeStore, names: Names): Points {
  const { points } = store;
  const shown = (source: PublishedSource): PublishedSource => shownSource(names, source);
  return {
    append: (batch) =>
      names.within(batch.loadTestId, (loadTestId) => points.append({ ...batch, loadTestId })),
    sources: async (id) =>
      ((await names.ifAny(id, (stored) => points.sources(stored))) ?? []).map(shown),
    async findContent(content) {
      const found = await points.findContent(content);
      return found.filter(({ loadTestId }) => names.isOwn(loadTestId)).map(shown);
    },
    liveSources: async (id) =>
      (await names.ifAny(id, (stored) => points.liveSources(stored))) ?? [],
    publish: (source, replaces) =>
      names.within(source.loadTestId, (loadTestId) =>
        points.publish({ ...source, loadTestId }, replaces),
      ),
    discard: (id, sourceId) => names.ifAny(id, (stored) => points.discard(stored, sourceId)),
    withdraw: (id, sourceId) => names.ifAny(id, (stored) => points.withdraw(stored, sourceId)),
    downsample: (id) => names.within(id, (stored) => points.downsample(stored)),
    figures: openFigures(points.figures, names),
    async snapshot(id) {
      const snapshot = await names.ifAny(id, (stored) => openWithEnvironments(store, stored));
      return snapshot && shownSnapshot(names, snapshot);
    },
    async snapshotBySource(id) {
      const snapshot = await names.ifAny(id, (stored) => points.snapshotBySource(stored));
      return snapshot && shownSources(names, snapshot);
    },
  };
}

function openFigures(figures: StoredFigures, names: Names): StoredFigures {
  return {
    async find(ids, part) {
      const own = ids.filter((id) => !id.includes(SEPARATOR)).map((id) => names.required(id));
      const found = await figures.find(own, part);
      return new Map([...found].map(([id, each]) => [names.shown(id), each]));
    },
    keep: (id, part, each) => names.ifAny(id, (stored) => figures.keep(stored, part, each)),
  };
}

function openThresholds(thresholds: StoredTexts, project: string | undefined): StoredTexts {
  const prefix = project === undefined ? "" : project + NAME_SEPARATOR;
  const stored = (name: string): string | undefined =>
    name.includes(NAME_SEPARATOR) ? undefined : prefix + name;
  return {
    async find(name) {
      const known = stored(name);
      return known === undefined ? undefined : thresholds.find(known);
    },
    async keep(name, text) {
      const known = stored(name);
      if (known !== undefined) return thresholds.keep(known, text);
      throw badParameter("expected a name without control characters");
    },
  };
}

function shownIn<Shown extends LoadTest>(names: Names, loadTest: Shown): Shown {
  return { ...loadTest, id: names.shown(loadTest.id) };
}

function shownSource(names: Names, source: PublishedSource): PublishedSource {
  return { ...source, loadTestId: names.shown(source.loadTestId) };
}

function shownSnapshot(names: Names, snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    loadTest: shownIn(names, snapshot.loadTest),
    sources: async () =>
      (await snapshot.sources()).map((source) => ({
        ...source,
        published: source.published && shownSource(names, source.published),
      })),
  };
}

function shownSources(names: Names, snapshot: SourcesSnapshot): SourcesSnapshot {
  const sources = snapshot.sources.map((source) => ({
    ...source,
    published: source.published && shownSource(names, source.published),
  }));
  return { ...snapshot, loadTest: shownIn(names, snapshot.loadTest), sources };
}
