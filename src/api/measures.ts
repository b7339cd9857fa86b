import { MEASURE_KINDS } from "../model/measures/measure-table.ts";
import { ENDPOINT, SECOND, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";
import { EVENT_CHARACTERS_MAX } from "../model/measures/load-test-events.ts";

const NUMBER = { type: "number" } as const;
const NUMBERS = list(NUMBER);
const NUMBERS_OR_NULL = list({ type: ["number", "null"] } as const);

const IDENTITY = {
  name: TEXT,
  unit: { ...TEXT, description: "As in UCUM, such as `ms`, `By` or `%`; empty if unknown." },
  kind: { type: "string", enum: MEASURE_KINDS },
  tags: { type: "object", additionalProperties: TEXT },
} as const;

const OF_ENDPOINT = object(ENDPOINT, {}, { title: "MeasuredEndpoint" });

const UNSTORED = object(
  { series: WHOLE, name: WHOLE, tags: WHOLE, value: WHOLE, time: WHOLE },
  {},
  {
    title: "UnstoredValues",
    description:
      "Numbers of values that were not stored: of series beyond the 2,000 of a load test, without a " +
      "usable name, with too many or too long tags, no finite number, without a usable time.",
  },
);

/** Of `GET /Api/LoadTests/{id}/Measures`. */
export const MEASURES = object(
  {
    measures: list(
      object(
        {
          ...IDENTITY,
          count: { ...WHOLE, description: "Number of values." },
          sum: NUMBER,
          mean: { ...NUMBER, description: "Of a rate, the share of true values." },
          from: { ...SECOND, description: "First UNIX second with a value; 0: unknown." },
          until: { ...SECOND, description: "Last one." },
        },
        {
          endpoint: OF_ENDPOINT,
          min: { ...NUMBER, description: "Of gauges and distributions, where it is known." },
          max: NUMBER,
          last: { ...NUMBER, description: "Of gauges." },
          p50: { ...NUMBER, description: "Of distributions, within 1 %, where it is known." },
          p95: NUMBER,
          p99: NUMBER,
        },
        { title: "Measure" },
      ),
      "Sorted by endpoint (those of the load test as a whole first), name, unit, kind and tags.",
    ),
    unstored: UNSTORED,
  },
  {},
  { title: "Measures" },
);

export type MeasuresJson = Static<typeof MEASURES>;

/** Of `GET /Api/LoadTests/{id}/MeasureSeries`. */
export const MEASURE_SERIES = object(
  {
    resolution: WHOLE,
    series: list(
      object(
        {
          ...IDENTITY,
          seconds: list(
            SECOND,
            "Start of each interval with a value; the other lists have the same order.",
          ),
          count: list(WHOLE),
          sum: NUMBERS,
          mean: NUMBERS,
        },
        {
          endpoint: OF_ENDPOINT,
          min: { ...NUMBERS_OR_NULL, description: "Of gauges; `null` where it is not known." },
          max: NUMBERS_OR_NULL,
          last: NUMBERS,
          distribution: object(
            {
              resolution: { ...WHOLE, description: "A multiple of 60." },
              seconds: list(SECOND),
              min: NUMBERS_OR_NULL,
              max: NUMBERS_OR_NULL,
              p50: NUMBERS_OR_NULL,
              p95: NUMBERS_OR_NULL,
              p99: NUMBERS_OR_NULL,
            },
            {},
            { description: "Of distributions, by minutes; percentiles within 1 %." },
          ),
        },
        { title: "MeasureSeries" },
      ),
    ),
    notShown: { ...WHOLE, description: "Further series that match." },
  },
  {},
  { title: "MeasureSeriesList" },
);

export type MeasureSeriesJson = Static<typeof MEASURE_SERIES>;

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
