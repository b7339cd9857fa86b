import { badParameter, UserError } from "../errors.ts";
import { compareLabels, LABEL_BYTES_MAX } from "../label.ts";

/** Something that happened during a load test, such as a deploy or a ramp, or a note. */
export interface LoadTestEvent {
  /** Follows from what it was when it was added, so that the same event again is the same one. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Its end, later than `atMs`. */
  readonly untilMs?: number;
  /** 1 to `EVENT_CHARACTERS_MAX` characters. */
  readonly text: string;
  /** Label of the endpoint that it is about. */
  readonly endpoint?: string;
  readonly author?: string;
  readonly writtenAtMs?: number;
}

export type NewLoadTestEvent = Omit<LoadTestEvent, "id">;

/** `undefined` removes a member. */
interface LoadTestEventChange extends Pick<LoadTestEvent, "id"> {
  readonly atMs?: number;
  readonly text?: string;
  readonly untilMs?: number | undefined;
  readonly endpoint?: string | undefined;
}

export const EVENT_CHARACTERS_MAX = 200;

export const EVENTS_MAX = 1000;

export interface EventsChange {
  /** Replaces all events. */
  readonly events?: readonly LoadTestEvent[];
  /** Added to the present ones, or to `events`; those that are there change nothing. */
  readonly addedEvents?: readonly NewLoadTestEvent[];
  /** Ids of others change nothing. */
  readonly changedEvents?: readonly LoadTestEventChange[];
  /** Ids. */
  readonly removedEvents?: readonly string[];
}

/** Returns why a text cannot be that of an event. */
export function eventTextComplaint(text: string): string | undefined {
  const { length } = text;
  if (text.trim() !== "" && length <= EVENT_CHARACTERS_MAX) return undefined;
  return `text: expected 1 to ${EVENT_CHARACTERS_MAX} characters, got ${length}`;
}

/** Throws `bad-parameter`. */
export function checkEvent<Event extends NewLoadTestEvent>(event: Event): Event {
  const { text, atMs, untilMs = Infinity, endpoint = "" } = event;
  const complaint =
    eventTextComplaint(text) ??
    (untilMs > atMs ? undefined : "until: expected a time later than that of the event");
  if (complaint !== undefined) throw badParameter(complaint);
  const bytes = Buffer.byteLength(endpoint);
  if (bytes <= LABEL_BYTES_MAX) return event;
  throw badParameter(
    `endpoint: expected a label of at most ${LABEL_BYTES_MAX} bytes, got ${bytes}`,
  );
}

export function eventOf({ text: given, ...others }: NewLoadTestEvent): LoadTestEvent {
  const { atMs, untilMs, endpoint } = others;
  const text = given.toWellFormed();
  const told = untilMs === undefined && endpoint === undefined ? [text] : [text, untilMs, endpoint];
  const id = `${atMs.toString(36)}-${hashOf(told.join("\0")).toString(36)}`;
  return {
    id,
    ...others,
    text,
    ...(endpoint !== undefined && { endpoint: endpoint.toWellFormed() }),
  };
}

/** Returns the events by time, then text; `undefined` without any. Throws `too-many-events`. */
export function changeEvents(
  present: readonly LoadTestEvent[] = [],
  { events = present, addedEvents = [], changedEvents = [], removedEvents = [] }: EventsChange,
): readonly LoadTestEvent[] | undefined {
  // Those that are there stay as they are, with their author.
  const byId = new Map([...addedEvents.map(eventOf), ...events].map((each) => [each.id, each]));
  for (const change of changedEvents) {
    const found = byId.get(change.id);
    if (found !== undefined) byId.set(change.id, checkEvent(withChange(found, change)));
  }
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

function withChange(event: LoadTestEvent, change: LoadTestEventChange): LoadTestEvent {
  const { untilMs, endpoint, ...others } = { ...event, ...change };
  const text = others.text.toWellFormed();
  return {
    ...others,
    text,
    ...(untilMs !== undefined && { untilMs }),
    ...(endpoint !== undefined && { endpoint: endpoint.toWellFormed() }),
  };
}

/** FNV-1a of the code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}
