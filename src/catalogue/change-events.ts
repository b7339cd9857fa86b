import type { EventJson, NewEvent } from "../api/measures.ts";
import { parseInstant } from "../import/decode-settings.ts";
import { UserError } from "../model/errors.ts";
import { eventOf, eventTextComplaint } from "../model/measures/load-test-events.ts";
import { eventJson, readEvents } from "../query/read-events.ts";
import type { Store } from "../store/store.ts";

/** Events of load tests. */
export interface LoadTestEvents {
  /** By time. Throws `unknown-load-test`. */
  list(loadTestId: string): Promise<readonly EventJson[]>;
  /** The same time and text again change nothing. Throws `unknown-load-test`, `bad-parameter`, `too-many-events`. */
  add(loadTestId: string, event: NewEvent): Promise<EventJson>;
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
    async add(loadTestId, { text, at }) {
      const added = { text: checkText(text), atMs: at === undefined ? now() : parseInstant(at) };
      await loadTests.update(loadTestId, { addedEvents: [added] });
      return eventJson(eventOf(added));
    },
    async remove(loadTestId, eventId) {
      await loadTests.update(loadTestId, { removedEvents: [eventId] });
    },
  };
}

function checkText(text: string): string {
  const complaint = eventTextComplaint(text);
  if (complaint === undefined) return text;
  throw new UserError("bad-parameter", complaint);
}
