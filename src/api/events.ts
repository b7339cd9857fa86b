import { EVENT_CHARACTERS_MAX } from "../model/measures/load-test-events.ts";
import { TEXT } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const AT = { type: "string", format: "date-time" } as const;
const EVENT_TEXT = { ...TEXT, description: `1 to ${EVENT_CHARACTERS_MAX} characters.` } as const;

/** Something that happened during a load test. */
export const EVENT = object(
  {
    id: { ...TEXT, description: "The same for the same time and text." },
    at: AT,
    text: EVENT_TEXT,
  },
  {},
  { title: "LoadTestEvent" },
);

export type EventJson = Static<typeof EVENT>;

/** Of `GET /Api/LoadTests/{id}/Events`. */
export const EVENTS = list(EVENT, "By time, then text.");

export const NEW_EVENT = object(
  { text: EVENT_TEXT },
  { at: { ...AT, description: "When it happened, with its time zone. Default: now." } },
);

export type NewEvent = Static<typeof NEW_EVENT>;
