import { UserError } from "./errors.ts";
import { compareLabels } from "./label.ts";
import type { DerivedRole } from "./role.ts";

/** One run of a load generator, as the store knows it. */
export interface LoadTest {
  /** See `id.ts`; `042` and `42` are different ids. */
  readonly id: string;
  /** What people call it; the id where nothing else was given. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Each once, ascending by UTF-8 bytes. */
  readonly tags: readonly string[];
  /** Whether retention leaves it alone. */
  readonly pinned: boolean;
  /** When somebody said that no more will come; data that come all the same are taken. */
  readonly finishedAtMs: number | undefined;
}

/** A load test to be created. */
export interface NewLoadTest
  extends
    Pick<LoadTest, "id" | "name" | "createdAtMs">,
    Partial<Pick<LoadTest, "tags" | "pinned">> {}

/** What is to be different about a load test; what is absent stays. */
export interface LoadTestChange {
  readonly name?: string;
  /** All of them, in the place of those there are. */
  readonly tags?: readonly string[];
  /** In addition to those there are, or to `tags`. */
  readonly addedTags?: readonly string[];
  readonly removedTags?: readonly string[];
  readonly pinned?: boolean;
  /** A load test that is finished keeps its time; `undefined`: it goes on after all. */
  readonly finishedAtMs?: number | undefined;
}

/** A load test and what is visible of it. */
export interface LoadTestSummary extends LoadTest {
  readonly endpoints: number;
  /** Without those of transactions and sub-results, unless the load test has no others. */
  readonly requests: number;
  /** Of `requests`. */
  readonly failedRequests: number;
  /** First and last UNIX second with a request, both included; second 0 does not count. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** When data became visible the last time, by the clock of the store. */
  readonly lastDataAtMs: number | undefined;
  /** Names of the formats that its visible sources had, each once, ascending by UTF-8 bytes. */
  readonly formats: readonly string[];
}

/** Which load tests are wanted. */
export interface LoadTestQuery {
  /** Text that the id, the name, a tag or a format contains, whatever the letter case. */
  readonly search?: string | undefined;
  /** A tag that it has, exactly. */
  readonly tag?: string | undefined;
  /** Leaves out everything up to this place in the order of the list. */
  readonly after?: LoadTestPlace | undefined;
  /** @default no limit */
  readonly limit?: number | undefined;
}

/** A place in the list of load tests: latest start first, equal ones by id. Stays when others go. */
export interface LoadTestPlace extends Pick<LoadTest, "id"> {
  /** Of the first second with a request; without one, when the load test was created. */
  readonly startedAtMs: number;
}

/** A name that a source gives its requests, as stored: what every answer is grouped by. */
export interface Endpoint {
  /** Number within its load test and store; never shown to users. */
  readonly number: number;
  /** Exact text; the empty label is legal. */
  readonly label: string;
  /** Where its rows repeat what others hold, and all visible sources that have it say so. */
  readonly role?: DerivedRole;
}

/** How every part of the program says that an id, whatever was given as one, names nothing. */
export function unknownLoadTest(id: string): UserError {
  return new UserError(
    "unknown-load-test",
    `there is no load test ${JSON.stringify(id.slice(0, 128))}`,
  );
}

/** Where a load test stands in the list. It moves with its first second. */
export function placeOf({ id, from, createdAtMs }: LoadTestSummary): LoadTestPlace {
  return { id, startedAtMs: from === undefined ? createdAtMs : from * 1000 };
}

/** Negative where `left` stands before `right` in the list: latest start first, equal ones by id. */
export function comparePlaces(left: LoadTestPlace, right: LoadTestPlace): number {
  return right.startedAtMs - left.startedAtMs || compareLabels(left.id, right.id);
}

/** Whether a load test is one that `query` looks for, its limit aside. */
export function isWanted(
  loadTest: LoadTestSummary,
  { search, tag, after }: LoadTestQuery,
): boolean {
  if (after !== undefined && comparePlaces(placeOf(loadTest), after) <= 0) return false;
  if (tag !== undefined && !loadTest.tags.includes(tag)) return false;
  if (search === undefined) return true;
  const wanted = search.toLowerCase();
  const { id, name, tags, formats } = loadTest;
  return [id, name, ...tags, ...formats].some((text) => text.toLowerCase().includes(wanted));
}

/** A load test as it begins. */
export function beginLoadTest({ id, name, createdAtMs, tags, pinned }: NewLoadTest): LoadTest {
  return {
    id,
    name,
    createdAtMs,
    tags: distinctTags(tags ?? []),
    pinned: pinned ?? false,
    finishedAtMs: undefined,
  };
}

/** The load test after a change; the same change again changes nothing. */
export function changeLoadTest(loadTest: LoadTest, change: LoadTestChange): LoadTest {
  const removed = new Set(change.removedTags);
  const tags = [...(change.tags ?? loadTest.tags), ...(change.addedTags ?? [])];
  return {
    ...loadTest,
    name: change.name ?? loadTest.name,
    tags: distinctTags(tags.filter((tag) => !removed.has(tag))),
    pinned: change.pinned ?? loadTest.pinned,
    finishedAtMs: finishedAtMs(loadTest, change),
  };
}

function finishedAtMs(loadTest: LoadTest, change: LoadTestChange): number | undefined {
  if (!("finishedAtMs" in change)) return loadTest.finishedAtMs;
  return change.finishedAtMs === undefined
    ? undefined
    : (loadTest.finishedAtMs ?? change.finishedAtMs);
}

function distinctTags(tags: readonly string[]): readonly string[] {
  return [...new Set(tags)].toSorted(compareLabels);
}
