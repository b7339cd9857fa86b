import { ID_FORM, ID_PATTERN } from "../model/id.ts";
import { QUALITY, TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const time = { type: "string", format: "date-time" } as const;
const timeOrNull = { type: ["string", "null"], format: "date-time" } as const;
const secondOrNull = { type: ["integer", "null"], minimum: 1, maximum: 4_294_967_295 } as const;

const PROPERTIES = {
  id: { type: "string", pattern: ID_PATTERN },
  name: { type: "string" },
  tags: { type: "array", items: { type: "string" }, description: "Distinct and sorted." },
  pinned: { type: "boolean", description: "Whether it is exempt from retention." },
  createdAt: time,
  finishedAt: { ...timeOrNull, description: "When the run was marked as finished." },
  lastDataAt: { ...timeOrNull, description: "When data last became visible." },
  endpoints: WHOLE,
  requests: {
    ...WHOLE,
    description:
      "Including failed ones; transactions and sub-results are excluded, unless there is nothing " +
      "else.",
  },
  failedRequests: WHOLE,
  from: { ...secondOrNull, description: "First UNIX second with a request." },
  until: { ...secondOrNull, description: "Last UNIX second with a request, included." },
  formats: {
    type: "array",
    items: { type: "string" },
    description: "Formats of its sources, distinct and sorted.",
  },
} as const;

/** A load test without its sources. */
export const LOAD_TEST_SCHEMA = object(PROPERTIES, {}, { title: "LoadTest" });

export type LoadTestJson = Static<typeof LOAD_TEST_SCHEMA>;

const SOURCE_SCHEMA = object(
  {
    name: { type: "string" },
    format: { type: "string" },
    sizeBytes: { ...WHOLE, description: "Size as uploaded, possibly compressed." },
    digest: { type: "string", pattern: "^(?:gmac:[0-9a-f]{32}|[0-9a-f]{64})$" },
  },
  {},
  { description: "An imported file." },
);

export const SHOWN_LOAD_TEST_SCHEMA = object(
  { ...PROPERTIES, sources: list(SOURCE_SCHEMA), quality: QUALITY },
  {},
  { title: "LoadTestWithSources" },
);

export const PAGE_SCHEMA = object({
  loadTests: list(LOAD_TEST_SCHEMA, "Latest start first."),
  next: {
    type: ["string", "null"],
    description: "Value of `after` for the next page; `null` on the last page.",
  },
});

const NAME = { type: "string", description: "Display name, 1 to 200 characters." } as const;

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

export const LOAD_TEST_CHANGES = object(
  {},
  {
    name: NAME,
    tags: list(TEXT, "Replaces all tags."),
    addTags: list(TEXT, "Tags to add."),
    removeTags: list(TEXT, "Tags to remove."),
    pinned: PROPERTIES.pinned,
    finished: {
      type: "boolean",
      description: "Whether the run is finished. Data that arrive later are still accepted.",
    },
  },
);

export type LoadTestChanges = Static<typeof LOAD_TEST_CHANGES>;

/** Of `GET /Api/Tags`. */
export const TAG_COUNTS = object({
  loadTests: { ...WHOLE, description: "Number of matching load tests." },
  tags: list(object({ tag: TEXT, loadTests: WHOLE }), "Most frequent first, then by UTF-8 bytes."),
});

export type TagCounts = Static<typeof TAG_COUNTS>;
