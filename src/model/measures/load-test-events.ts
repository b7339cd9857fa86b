import { UserError } from "../errors.ts";
import { compareLabels } from "../label.ts";

/** Something that happened during a load test, such as a deploy or a ramp. */
export interface LoadTestEvent {
  /** Follows from time and text, so that the same event again is the same one. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** 1 to `EVENT_CHARACTERS_MAX` characters. */
  readonly text: string;
}

export type NewLoadTestEvent = Pick<LoadTestEvent, "atMs" | "text">;

export const EVENT_CHARACTERS_MAX = 200;

export const EVENTS_MAX = 1000;

export interface EventsChange {
  /** Replaces all events. */
  readonly events?: readonly LoadTestEvent[];
  /** Added to the present ones, or to `events`; those that are there change nothing. */
  readonly addedEvents?: readonly NewLoadTestEvent[];
  /** Ids. */
  readonly removedEvents?: readonly string[];
}

/** Returns why a text cannot be that of an event. */
export function eventTextComplaint(text: string): string | undefined {
  const { length } = text;
  if (text.trim() !== "" && length <= EVENT_CHARACTERS_MAX) return undefined;
  return `text: expected 1 to ${EVENT_CHARACTERS_MAX} characters, got ${length}`;
}

export function eventOf({ atMs, text: given }: NewLoadTestEvent): LoadTestEvent {
  const text = given.toWellFormed();
  return { id: `${atMs.toString(36)}-${hashOf(text).toString(36)}`, atMs, text };
}

/** Returns the events by time, then text; `undefined` without any. Throws `too-many-events`. */
export function changeEvents(
  present: readonly LoadTestEvent[] = [],
  { events = present, addedEvents = [], removedEvents = [] }: EventsChange,
): readonly LoadTestEvent[] | undefined {
  const byId = new Map([...events, ...addedEvents.map(eventOf)].map((each) => [each.id, each]));
  for (const id of removedEvents) byId.delete(id);
  if (byId.size > EVENTS_MAX && byId.size > present.length) {
    throw new UserError(
      "too-many-events",
      `cannot add an event: the load test would have ${byId.size}, at most ${EVENTS_MAX} are allowed`,
    );
  }
  if (byId.size === 0) return undefined;
  return [...byId.values()].toSorted(
    (left, right) => left.atMs - right.atMs || compareLabels(left.text, right.text),
  );
}

/** FNV-1a of the code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
