import { ATTRIBUTES, checkAttributes } from "../model/load-test/attributes.ts";
import { badParameter } from "../model/errors.ts";
import {
  type ListPosition,
  type LoadTestChange,
  type LoadTestSummary,
  positionOf,
  requireLoadTest,
} from "../model/load-test.ts";
import { parseSearch } from "../model/load-test/search.ts";
import { isId } from "../model/id.ts";
import { type LoadTests, OVERALL_FIGURES, type Points, type Store } from "../store/store.ts";
import { BASELINE_TAG, moveBaseline } from "./baseline.ts";
import { checkLoadTestId } from "../import/load-test-id.ts";
import { withSnapshot } from "../series/open-snapshot.ts";
import { listByLabel } from "../series/selected-series.ts";
import type { ListedFigures, LoadTestChanges, NewLoadTest } from "../api/load-tests.ts";
import type { QualityRemark } from "../api/parts.ts";
import { knowFigures, overallIn } from "./overall-figures.ts";
import { readSourceFacts } from "../query/source-facts.ts";
import type { PublishedSource } from "../store/snapshot.ts";
import type { EventChanges, EventJson, NewEvent } from "../api/measures.ts";
import { choiceOf, parseInstant } from "../import/decode-settings.ts";
import { chooseLabels } from "./choose-labels.ts";
import { checkEvent, eventOf, type LoadTestEvent } from "../model/measures/load-test-events.ts";
import { eventJson, readEvents } from "../query/read-events.ts";

/** Lists, names, tags and deletes load tests. */
export interface Catalogue {
  /** Latest start first. Throws `bad-parameter` for an invalid `after` or `search`. */
  list(query: CatalogueQuery): Promise<CataloguePage>;
  /** Figures of all requests of those load tests that they are stored of, by id. */
  figures(ids: readonly string[]): Promise<ReadonlyMap<string, ListedFigures>>;
  /** Throws `load-test-exists`, `bad-load-test-id`, `bad-parameter`. */
  create(request: NewLoadTest): Promise<LoadTestSummary>;
  /** Throws `unknown-load-test`. */
  show(id: string): Promise<ShownLoadTest>;
  /** Returns the labels of its endpoints, ascending by UTF-8 bytes. Throws `unknown-load-test`. */
  labels(id: string): Promise<readonly string[]>;
  /** Absent members stay. Throws `unknown-load-test`, `bad-parameter`, `load-test-growing`. */
  change(id: string, request: LoadTestChanges): Promise<LoadTestSummary>;
  /** Deletes it with all its data. Throws `unknown-load-test`. */
  delete(id: string): Promise<void>;
  /** Deletes it if it has no source, not even a staged one; does nothing if it does not exist. */
  deleteUnused(id: string): Promise<void>;
}

interface CatalogueQuery {
  /** Only these, in this order; all else is ignored. */
  readonly ids?: readonly string[] | undefined;
  /** See `parseSearch`. */
  readonly search?: string | undefined;
  /** Exact tag. */
  readonly tag?: string | undefined;
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  /** @default no limit */
  readonly limit?: number | undefined;
}

interface CataloguePage {
  readonly loadTests: readonly LoadTestSummary[];
  /** Start of the next page; `undefined` on the last one. Stays valid when load tests are deleted. */
  readonly next: string | undefined;
  /** Load tests that the search may have missed: see `knowFigures`. */
  readonly unknown: number;
}

interface ShownLoadTest {
  readonly loadTest: LoadTestSummary;
  readonly sources: readonly Pick<PublishedSource, "name" | "format" | "sizeBytes" | "digest">[];
  readonly quality: readonly QualityRemark[];
}

interface CatalogueDependencies {
  readonly loadTests: LoadTests;
  readonly points: Points;
  readonly createLoadTestId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export function openCatalogue(dependencies: CatalogueDependencies): Catalogue {
  const { loadTests, points, createLoadTestId, now } = dependencies;
  return {
    async list({ ids, limit = Infinity, after, search, tag }) {
      if (ids !== undefined) {
        const found = await Promise.all(ids.map((id) => loadTests.find(id)));
        return { loadTests: found.flatMap((each) => each ?? []), next: undefined, unknown: 0 };
      }
      const query = { tag, ...(search === undefined ? {} : { terms: parseSearch(search) }) };
      const unknown = await knowFigures({ loadTests, points }, query);
      const position = after === undefined ? undefined : parsePosition(after);
      // One more than requested shows whether there is a next page.
      const found = await loadTests.list({ ...query, after: position, limit: limit + 1 });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { loadTests: page, next: last && formatPosition(positionOf(last)), unknown };
    },
    async figures(ids) {
      const stored = await points.figures.find(ids, OVERALL_FIGURES);
      return new Map([...stored].map(([id, { text }]) => [id, overallIn(text)]));
    },
    async create(request) {
      const id = request.id === undefined ? createLoadTestId() : checkLoadTestId(request.id);
      const made = { id, name: id, createdAtMs: now(), ...checkAttributes(request) };
      const create = async (): Promise<LoadTestSummary> => {
        await loadTests.create(made);
        return requireLoadTest(await loadTests.find(id), id);
      };
      return givesTag(request, BASELINE_TAG)
        ? moveBaseline(loadTests, made.name, create)
        : create();
    },
    async show(id) {
      const loadTest = requireLoadTest(await loadTests.find(id), id);
      return withSnapshot(points, { loadTestId: id }, async (snapshot) => {
        const { remarks: quality } = await readSourceFacts(snapshot);
        return { loadTest, sources: await points.sources(id), quality };
      });
    },
    async labels(id) {
      return withSnapshot(points, { loadTestId: id }, async (snapshot) => {
        const index = await snapshot.index();
        return (await listByLabel(index, index.numbers)).map(({ label }) => label);
      });
    },
    async change(id, request) {
      const change = changeOf(request, now());
      const loadTest = requireLoadTest(await loadTests.find(id), id);
      const { name, tags } = loadTest;
      ATTRIBUTES.tags.check([...(request.tags ?? tags), ...(request.addTags ?? [])]);
      const choice = choiceOf(request.measure, request.ignore);
      if (choice !== undefined) await chooseLabels(points, loadTest, choice);
      const update = (): Promise<LoadTestSummary> => loadTests.update(id, change);
      return givesTag(request, BASELINE_TAG)
        ? moveBaseline(loadTests, change.name ?? name, update)
        : update();
    },
    delete: (id) => loadTests.delete(id),
    deleteUnused: (id) => loadTests.deleteUnused(id),
  };
}

function givesTag(
  { tags = [], addTags = [] }: Pick<LoadTestChanges, "tags" | "addTags">,
  tag: string,
): boolean {
  return tags.includes(tag) || addTags.includes(tag);
}

function changeOf(request: LoadTestChanges, nowMs: number): LoadTestChange {
  const { addTags, removeTags, finished } = request;
  return {
    ...checkAttributes(request),
    ...(addTags === undefined ? {} : { addedTags: addTags }),
    ...(removeTags === undefined ? {} : { removedTags: removeTags }),
    ...(finished === undefined ? {} : { finishedAtMs: finished ? nowMs : undefined }),
  };
}

function formatPosition({ startedAtMs, id }: ListPosition): string {
  return `${startedAtMs}.${id}`;
}

function parsePosition(text: string): ListPosition {
  const [, digits = "", id = ""] = /^(\d{1,15})\.(.*)$/.exec(text) ?? [];
  if (isId(id)) return { startedAtMs: Number(digits), id };
  throw badParameter(
    `cannot go on after ${JSON.stringify(text.slice(0, 150))}: expected the cursor of the previous page`,
  );
}

export interface LoadTestEvents {
  /** By time. Throws `unknown-load-test`. */
  list(loadTestId: string): Promise<readonly EventJson[]>;
  /** The same event again changes nothing. Throws `unknown-load-test`, `bad-parameter`, `too-many-events`. */
  add(loadTestId: string, event: NewEvent, author: string | undefined): Promise<EventJson>;
  /** Absent members stay, and so do author and id. Throws `unknown-load-test`, `bad-parameter`. */
  change(loadTestId: string, eventId: string, change: EventChanges): Promise<EventJson>;
  /** Ignores ids of no event. Throws `unknown-load-test`. */
  remove(loadTestId: string, eventId: string): Promise<void>;
}

/** `now` is in milliseconds since the epoch. */
export function openEvents(
  { loadTests, points }: Pick<Store, "loadTests" | "points">,
  now: () => number,
): LoadTestEvents {
  return {
    list: (loadTestId) => readEvents(points, loadTestId),
    async add(loadTestId, { text, at, until, endpoint }, author) {
      const added = checkEvent({
        text,
        atMs: at === undefined ? now() : parseInstant(at),
        ...(until !== undefined && { untilMs: parseInstant(until) }),
        ...(endpoint !== undefined && { endpoint }),
        ...(author !== undefined && { author }),
        writtenAtMs: now(),
      });
      const { events } = await loadTests.update(loadTestId, { addedEvents: [added] });
      return eventJson(eventIn(events, eventOf(added).id));
    },
    async change(loadTestId, id, { text, at, until, endpoint }) {
      const change = {
        id,
        ...(text !== undefined && { text }),
        ...(at !== undefined && { atMs: parseInstant(at) }),
        ...(until !== undefined && { untilMs: until === null ? undefined : parseInstant(until) }),
        ...(endpoint !== undefined && { endpoint: endpoint ?? undefined }),
      };
      const { events } = await loadTests.update(loadTestId, { changedEvents: [change] });
      return eventJson(eventIn(events, id));
    },
    async remove(loadTestId, eventId) {
      await loadTests.update(loadTestId, { removedEvents: [eventId] });
    },
  };
}

function eventIn(events: LoadTestSummary["events"], id: string): LoadTestEvent {
  const found = events?.find((each) => each.id === id);
  if (found !== undefined) return found;
  throw badParameter(
    `event: expected the id of an event of the load test, got ${JSON.stringify(id.slice(0, 100))}`,
  );
}
