import { UserError } from "../model/errors.ts";
import type { NewLoadTestEvent } from "../model/measures/load-test-events.ts";
import type { ImportTarget } from "./ensure-load-test.ts";

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
