import { ID_FORM, ID_PATTERN } from "../model/id.ts";
import { QUALITY, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const time = { type: "string", format: "date-time" } as const;
const timeOrNull = { type: ["string", "null"], format: "date-time" } as const;
const secondOrNull = { type: ["integer", "null"], minimum: 1, maximum: 4_294_967_295 } as const;

const PROPERTIES = {
  id: { type: "string", pattern: ID_PATTERN },
  name: { type: "string" },
  tags: { type: "array", items: { type: "string" }, description: "Each once, in order." },
  pinned: { type: "boolean", description: "Whether retention leaves it alone." },
  createdAt: time,
  finishedAt: { ...timeOrNull, description: "When the run was marked as finished." },
  lastDataAt: { ...timeOrNull, description: "When data became visible the last time." },
  endpoints: WHOLE,
  requests: {
    ...WHOLE,
    description:
      "Failed ones included; without transactions and sub-results, unless there are no others.",
  },
  failedRequests: WHOLE,
  from: { ...secondOrNull, description: "First UNIX second with a request." },
  until: { ...secondOrNull, description: "Last UNIX second with a request, included." },
  formats: {
    type: "array",
    items: { type: "string" },
    description: "Names of the formats that its data came in, each once, in order.",
  },
} as const;

/** A load test without its sources. */
export const LOAD_TEST_SCHEMA = object(PROPERTIES, {}, { title: "LoadTest" });

export type LoadTestJson = Static<typeof LOAD_TEST_SCHEMA>;

const SOURCE_SCHEMA = object(
  {
    name: { type: "string" },
    format: { type: "string" },
    sizeBytes: { ...WHOLE, description: "As it was given, compressed or not." },
    digest: { type: "string", pattern: "^(?:gmac:[0-9a-f]{32}|[0-9a-f]{64})$" },
  },
  {},
  { description: "A file that was imported." },
);

/** A load test with its sources. */
export const SHOWN_LOAD_TEST_SCHEMA = object(
  { ...PROPERTIES, sources: list(SOURCE_SCHEMA), quality: QUALITY },
  {},
  { title: "LoadTestWithSources" },
);

export const PAGE_SCHEMA = object({
  loadTests: list(LOAD_TEST_SCHEMA, "Latest start first."),
  next: {
    type: ["string", "null"],
    description: "Value of `after` for the next page; `null` on the last one.",
  },
});

const NAME = { type: "string", description: "What people call it: 1 to 200 characters." } as const;

/** Request to create a load test. */
export const NEW_LOAD_TEST = object(
  {},
  {
    id: { type: "string", description: `${ID_FORM}; a new one where it is not given.` },
    name: NAME,
    tags: list(TEXT, "At most 50, each of 1 to 64 characters."),
    pinned: PROPERTIES.pinned,
  },
);

export type NewLoadTest = Static<typeof NEW_LOAD_TEST>;

/** Request to change a load test. */
export const LOAD_TEST_CHANGES = object(
  {},
  {
    name: NAME,
    tags: list(TEXT, "All tags, in the place of those there are."),
    addTags: list(TEXT, "Tags in addition to those there are."),
    removeTags: list(TEXT, "Tags to be taken away."),
    pinned: PROPERTIES.pinned,
    finished: {
      type: "boolean",
      description: "Whether no more data will come; those that come all the same are taken.",
    },
  },
);

export type LoadTestChanges = Static<typeof LOAD_TEST_CHANGES>;

/** Of `GET /Api/Tags`. */
export const TAG_COUNTS = object({
  loadTests: { ...WHOLE, description: "Load tests that were looked at." },
  tags: list(
    object({ tag: TEXT, loadTests: WHOLE }),
    "The most frequent first, equal ones ascending by UTF-8 bytes.",
  ),
});

export type TagCounts = Static<typeof TAG_COUNTS>;
