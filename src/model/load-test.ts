import {
  type Attributes,
  attributesOf,
  distinctTags,
  type NamedAttributes,
} from "./load-test/attributes.ts";
import { UserError } from "./errors.ts";
import { matchesTerm, type SearchTerm } from "./load-test/search.ts";
import { compareLabels } from "./label.ts";
import {
  changeEvents,
  type EventsChange,
  type LoadTestEvent,
} from "./measures/load-test-events.ts";
import type { DerivedRole } from "./role.ts";
import type { SecondRange } from "./columns.ts";

export const MINUTE_SECONDS = 60;

/** The `environment` of an hour is where it was measured. */
export interface LoadTest extends Attributes {
  /** See `id.ts`; `042` and `42` are different ids. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** When it was marked as finished; later data are still accepted. */
  readonly finishedAtMs: number | undefined;
  /** Unique, by time, then text. Absent if there are none. */
  readonly events?: readonly LoadTestEvent[];
  /** First UNIX second of an hour of an environment. */
  readonly hour?: number;
  /** 60 where seconds were merged into minutes, otherwise 1. */
  readonly secondsPerPoint: number;
}

export type NewLoadTest = NamedAttributes &
  Pick<LoadTest, "id" | "createdAtMs"> &
  Partial<Pick<LoadTest, "hour">>;

/** Absent members stay unchanged. */
export interface LoadTestChange extends EventsChange, Partial<Attributes> {
  /** Added to the present tags, or to `tags`. */
  readonly addedTags?: readonly string[];
  readonly removedTags?: readonly string[];
  /** A finished load test keeps its time; `undefined`: not finished after all. */
  readonly finishedAtMs?: number | undefined;
  readonly secondsPerPoint?: number;
}

export interface LoadTestSummary extends LoadTest {
  readonly endpoints: number;
  /** Without transactions and sub-results, unless there is nothing else. */
  readonly requests: number;
  readonly failedRequests: number;
  /** First and last UNIX second with a request, inclusive; ignores second 0. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** When data last became visible, by the store's clock. */
  readonly lastDataAtMs: number | undefined;
  /** Formats of visible sources, unique, ascending by UTF-8 bytes. */
  readonly formats: readonly string[];
}

export interface LoadTestQuery {
  /** Matches id, name, tag, environment, format, description, or a property as `key:value`, case-insensitive. */
  readonly search?: string | undefined;
  /** All must match. Those of computed figures match where the figures of the current revision are stored. */
  readonly terms?: readonly SearchTerm[] | undefined;
  /** Only load tests with requests of which the figures of this part are not stored. */
  readonly lacks?: string | undefined;
  readonly tag?: string | undefined;
  /** Hours of an environment that begin in it. */
  readonly hours?: SecondRange | undefined;
  /** Skips everything up to this key in list order. */
  readonly after?: ListPosition | undefined;
  /** @default no limit */
  readonly limit?: number | undefined;
}

/** List key: latest start first, equal ones by id. */
export interface ListPosition extends Pick<LoadTest, "id"> {
  /** Start of the first request; without one, of the load test's creation. */
  readonly startedAtMs: number;
}

/** A request name within a load test: the unit of all results. */
export interface Endpoint {
  /** Number within load test and store; never shown. */
  readonly number: number;
  /** Exact text; may be empty. */
  readonly label: string;
  /** Set if the rows repeat others according to all visible sources. */
  readonly role?: DerivedRole;
  /** Name of the series with the facets that split it, whose values its label shows (`series/facets.ts`). */
  readonly splitSeries?: string;
}

export function unknownLoadTest(id: string): UserError {
  return new UserError("unknown-load-test", `there is no run ${JSON.stringify(id.slice(0, 128))}`);
}

/** Whether people have done something with a load test that may have no data yet. */
export function isInUse({ pinned, events = [], ...loadTest }: LoadTest): boolean {
  return pinned || loadTest.finishedAtMs !== undefined || events.length > 0;
}

/** Returns what was found by this id. Throws `unknown-load-test` for `undefined`. */
export function requireLoadTest<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw unknownLoadTest(id);
  return found;
}

/** The key changes with its first second. */
export function positionOf({ id, from, createdAtMs }: LoadTestSummary): ListPosition {
  return { id, startedAtMs: from === undefined ? createdAtMs : from * 1000 };
}

/** Orders by latest start, then id. */
export function comparePositions(left: ListPosition, right: ListPosition): number {
  return right.startedAtMs - left.startedAtMs || compareLabels(left.id, right.id);
}

/** Ignores the limit. */
export function isWanted(loadTest: LoadTestSummary, query: LoadTestQuery): boolean {
  const { tag, hours, after } = query;
  if (after !== undefined && comparePositions(positionOf(loadTest), after) <= 0) return false;
  if (tag !== undefined && !loadTest.tags.includes(tag)) return false;
  if (hours !== undefined && !isWithin(loadTest.hour, hours)) return false;
  return termsOf(query).every((term) => matchesTerm(loadTest, term));
}

/** All terms of a query, its tag apart. */
export function termsOf({ search, terms = [] }: LoadTestQuery): readonly SearchTerm[] {
  return search === undefined ? terms : [...terms, { kind: "text", field: "any", text: search }];
}

/** Whether a query is about more than positions in the list. */
export function isFiltered({ search, terms, tag, hours, lacks }: LoadTestQuery): boolean {
  return [search, terms, tag, hours, lacks].some((each) => each !== undefined);
}

function isWithin(hour: number | undefined, { from, until }: SecondRange): boolean {
  return hour !== undefined && hour >= from && hour < until;
}

export function beginLoadTest(given: NewLoadTest): LoadTest {
  const { id, createdAtMs, hour } = given;
  const attributes = attributesOf(given);
  return {
    id,
    createdAtMs,
    ...attributes,
    tags: distinctTags(attributes.tags),
    finishedAtMs: undefined,
    secondsPerPoint: 1,
    ...(hour !== undefined && { hour }),
  };
}

/** Idempotent. Throws `too-many-events`. */
export function changeLoadTest(loadTest: LoadTest, change: LoadTestChange): LoadTest {
  const { events: present, ...kept } = loadTest;
  const events = changeEvents(present, change);
  const attributes = attributesOf({ ...loadTest, ...change });
  const removed = new Set(change.removedTags);
  const tags = [...attributes.tags, ...(change.addedTags ?? [])];
  return {
    ...kept,
    ...attributes,
    tags: distinctTags(tags.filter((tag) => !removed.has(tag))),
    finishedAtMs: finishedAtMs(loadTest, change),
    secondsPerPoint: change.secondsPerPoint ?? loadTest.secondsPerPoint,
    ...(events && { events }),
  };
}

function finishedAtMs(
  loadTest: Pick<LoadTest, "finishedAtMs">,
  change: LoadTestChange,
): number | undefined {
  if (!("finishedAtMs" in change)) return loadTest.finishedAtMs;
  return change.finishedAtMs === undefined
    ? undefined
    : (loadTest.finishedAtMs ?? change.finishedAtMs);
}
