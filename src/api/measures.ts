import { MEASURE_KINDS } from "../model/measures/measure-table.ts";
import {
  ENDPOINT,
  NUMBER,
  NUMBER_OR_NULL,
  SECOND,
  TEXT,
  TIME,
  TIME_OR_NULL,
  WHOLE,
} from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";
import { EVENT_CHARACTERS_MAX } from "../model/measures/load-test-events.ts";

const NUMBERS = list(NUMBER);
const NUMBERS_OR_NULL = list(NUMBER_OR_NULL);

export const MEASURE_IDENTITY = {
  name: TEXT,
  unit: about(TEXT, "As in UCUM, such as `ms`, `By` or `%`; empty if unknown."),
  kind: choice(MEASURE_KINDS),
  tags: { type: "object", additionalProperties: TEXT },
} as const;

const OF_ENDPOINT = named("MeasuredEndpoint", ENDPOINT);

const UNSTORED = about(
  named("UnstoredValues", { series: WHOLE, name: WHOLE, tags: WHOLE, value: WHOLE, time: WHOLE }),
  "Numbers of values that were not stored: of series beyond the 2,000 of a load test, without a " +
    "usable name, with too many or too long tags, no finite number, without a usable time.",
);

/** Of `GET /Api/LoadTests/{id}/Measures`. */
export const MEASURES = named("Measures", {
  measures: list(
    named("Measure", {
      ...MEASURE_IDENTITY,
      count: about(
        WHOLE,
        "Number of values. Phases of endpoints are stored by minute: they are those of the whole minutes in the range.",
      ),
      sum: NUMBER,
      mean: optional(
        NUMBER,
        "Of a rate, the share of true values. Of a gauge, over series and time: a value holds until the next one, or as long as usual where that is missing. Absent without a value.",
      ),
      from: about(SECOND, "First UNIX second with a value; 0: unknown."),
      until: about(SECOND, "Last one."),
      endpoint: optional(OF_ENDPOINT),
      min: optional(NUMBER, "Of gauges and distributions, where it is known."),
      max: optional(NUMBER),
      last: optional(NUMBER, "Of gauges."),
      p50: optional(
        NUMBER,
        "Of distributions, within 1 %, or 6 % where histograms were sent. Absent if the range cuts a minute with values, by which they are stored.",
      ),
      p95: optional(NUMBER),
      p99: optional(NUMBER),
      percentiles: optional(
        { type: "object", additionalProperties: NUMBER },
        "The percentiles of `percent` by name, such as `p75`. Absent like the others.",
      ),
      rate: optional(
        NUMBER,
        "With `selector`, of counters and distributions: `sum` per second of the run, from its first to its last request in the range; without requests, of the measure.",
      ),
    }),
    "Sorted by endpoint (those of the load test as a whole first), name, unit, kind and tags.",
  ),
  unstored: UNSTORED,
});

export type MeasuresJson = Static<typeof MEASURES>;

/** Of `GET /Api/LoadTests/{id}/MeasureSeries`. */
export const MEASURE_SERIES = named("MeasureSeriesList", {
  resolution: WHOLE,
  series: list(
    named("MeasureSeries", {
      ...MEASURE_IDENTITY,
      seconds: list(
        SECOND,
        "Start of each interval with a value; the other lists have the same order.",
      ),
      count: list(WHOLE),
      sum: NUMBERS,
      mean: NUMBERS,
      endpoint: optional(OF_ENDPOINT),
      min: optional(NUMBERS_OR_NULL, "Of gauges; `null` where it is not known."),
      max: optional(NUMBERS_OR_NULL),
      last: optional(NUMBERS),
      distribution: optional(
        object({
          resolution: about(WHOLE, "A multiple of 60."),
          seconds: list(SECOND),
          min: NUMBERS_OR_NULL,
          max: NUMBERS_OR_NULL,
          p50: NUMBERS_OR_NULL,
          p95: NUMBERS_OR_NULL,
          p99: NUMBERS_OR_NULL,
        }),
        "Of distributions, by minutes; percentiles within 1 %.",
      ),
    }),
  ),
  notShown: about(WHOLE, "Further series that match."),
});

export type MeasureSeriesJson = Static<typeof MEASURE_SERIES>;

const EVENT_TEXT = about(TEXT, `1 to ${EVENT_CHARACTERS_MAX} characters.`);

const EVENT_ENDPOINT = about(TEXT, "Label of the endpoint that it is about.");

/** Something that happened during a load test, or a note about it. */
export const EVENT = named("LoadTestEvent", {
  id: about(
    TEXT,
    "The same for the same time, text, end and endpoint, as they were when it was added.",
  ),
  at: TIME,
  until: optional(TIME, "Its end."),
  text: EVENT_TEXT,
  endpoint: optional(EVENT_ENDPOINT),
  author: optional(TEXT, "Name of the key that added it."),
  writtenAt: optional(TIME, "When it was added."),
});

export type EventJson = Static<typeof EVENT>;

/** Of `GET /Api/LoadTests/{id}/Events`. */
export const EVENTS = list(EVENT, "By time, then text.");

export const NEW_EVENT = object({
  text: EVENT_TEXT,
  at: optional(TIME, "When it happened, with its time zone. Default: now."),
  until: optional(TIME, "Its end, later than `at`."),
  endpoint: optional(EVENT_ENDPOINT),
});

export type NewEvent = Static<typeof NEW_EVENT>;

export const EVENT_CHANGES = object({
  text: optional(EVENT_TEXT),
  at: optional(TIME),
  until: optional(TIME_OR_NULL, "`null`: none."),
  endpoint: optional({ type: ["string", "null"] }, "`null`: none."),
});

export type EventChanges = Static<typeof EVENT_CHANGES>;
