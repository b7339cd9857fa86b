import { UserError } from "../model/errors.ts";
import type { NewLoadTest } from "../model/load-test.ts";
import type { EventsChange, NewLoadTestEvent } from "../model/measures/load-test-events.ts";
import type { Files, LoadTests, Points } from "../store/store.ts";

/** Returns whether it created the load test, rather than a concurrent import. */
export async function ensureLoadTest(
  { loadTests }: ImportTarget,
  loadTest: Omit<NewLoadTest, "createdAtMs">,
  createdAtMs: number,
): Promise<boolean> {
  if ((await loadTests.find(loadTest.id)) !== undefined) return false;
  try {
    await loadTests.create({ ...loadTest, createdAtMs });
    return true;
  } catch (error) {
    if (error instanceof UserError && error.code === "load-test-exists") return false;
    throw error;
  }
}

/** The part of a store that imports need: of this process's store, or a server's. */
export interface ImportTarget {
  /** Whether batches are sent, so that their size is limited. @default false */
  readonly isRemote?: boolean;
  readonly loadTests: Pick<LoadTests, "create" | "deleteUnused"> & {
    /** `undefined` if it does not exist; no other property matters here. */
    find(id: string): Promise<{ readonly id: string; readonly createdAtMs?: number } | undefined>;
    /** Throws `unknown-load-test`, `too-many-events`. */
    update(id: string, change: Pick<EventsChange, "addedEvents">): Promise<unknown>;
  };
  readonly points: Pick<
    Points,
    "append" | "sources" | "findContent" | "liveSources" | "publish" | "discard" | "withdraw"
  >;
  /** @default originals are not kept */
  readonly files?: Pick<Files, "begin"> | undefined;
}

/** Adds all events, or returns a note why there is no room for them. Those that are there change nothing. */
export async function addEvents(
  { loadTests }: ImportTarget,
  loadTestId: string,
  events: readonly NewLoadTestEvent[],
): Promise<readonly string[]> {
  try {
    if (events.length > 0) await loadTests.update(loadTestId, { addedEvents: events });
    return [];
  } catch (error) {
    if (error instanceof UserError && error.code === "too-many-events") return [error.message];
    throw error;
  }
}
