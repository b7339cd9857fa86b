import { ID_FORM, ID_PATTERN } from "../model/id.ts";
import { ATTRIBUTES } from "../model/load-test/attributes.ts";
import {
  FLAG,
  NEXT_PAGE,
  NUMBER_OR_NULL,
  QUALITY,
  SECOND_OR_NULL,
  TEXT,
  TIME,
  TIME_OR_NULL,
  WHOLE,
} from "./parts.ts";
import { about, allOptional, list, named, object, optional, type Static } from "./schema.ts";

type Schemas = {
  readonly [Name in keyof typeof ATTRIBUTES]: (typeof ATTRIBUTES)[Name]["schema"];
};

const ATTRIBUTE_SCHEMAS = Object.fromEntries(
  Object.entries(ATTRIBUTES).map(([name, { schema }]) => [name, schema]),
) as unknown as Schemas;

const PROPERTIES = {
  id: { type: "string", pattern: ID_PATTERN },
  ...ATTRIBUTE_SCHEMAS,
  createdAt: TIME,
  finishedAt: about(TIME_OR_NULL, "When the run was marked as finished."),
  lastDataAt: about(TIME_OR_NULL, "When data last became visible."),
  endpoints: WHOLE,
  requests: about(
    WHOLE,
    "Including failed ones; transactions and sub-results are excluded, unless there is nothing " +
      "else.",
  ),
  failedRequests: WHOLE,
  from: about(SECOND_OR_NULL, "First UNIX second with a request."),
  until: about(SECOND_OR_NULL, "Last UNIX second with a request, included."),
  secondsPerPoint: about(WHOLE, "60 where retention has merged seconds into minutes, otherwise 1."),
  formats: list(TEXT, "Formats of its sources, distinct and sorted."),
} as const;

export const LOAD_TEST_SCHEMA = named("LoadTest", PROPERTIES);

export type LoadTestJson = Static<typeof LOAD_TEST_SCHEMA>;

/** Seconds; absent until they are computed. */
const COMPUTED = optional(NUMBER_OR_NULL);

/** A row of the list as CSV. */
export const LISTED_IN_CSV = object({
  ...PROPERTIES,
  avgLoadTime: COMPUTED,
  p50: COMPUTED,
  p95: COMPUTED,
  p99: COMPUTED,
});

export type ListedFigures = Partial<
  Pick<Static<typeof LISTED_IN_CSV>, "avgLoadTime" | "p50" | "p95" | "p99">
>;

const SOURCE_SCHEMA = about(
  object({
    name: TEXT,
    format: TEXT,
    sizeBytes: about(WHOLE, "Size as uploaded, possibly compressed."),
    digest: { type: "string", pattern: "^(?:gmac:[0-9a-f]{32}|[0-9a-f]{64})$" },
  }),
  "An imported file.",
);

export type SourceJson = Static<typeof SOURCE_SCHEMA>;

export const SHOWN_LOAD_TEST_SCHEMA = named("LoadTestWithSources", {
  ...PROPERTIES,
  sources: list(SOURCE_SCHEMA),
  quality: QUALITY,
  labels: optional(
    list(TEXT, "Labels of its endpoints, ascending by UTF-8 bytes."),
    "If requested.",
  ),
});

export const PAGE_SCHEMA = object({
  loadTests: list(LOAD_TEST_SCHEMA, "Latest start first."),
  next: NEXT_PAGE,
  unknown: optional(
    WHOLE,
    "Load tests, at most 1,000 of them counted, that a search by percentiles or average may have missed: theirs are not computed yet. Absent if there are none.",
  ),
});

export const NEW_LOAD_TEST = object({
  id: optional(TEXT, `${ID_FORM}; a new one where it is not given.`),
  ...allOptional(ATTRIBUTE_SCHEMAS),
});

export type NewLoadTest = Static<typeof NEW_LOAD_TEST>;

const CHOSEN =
  "as `measure` and `ignore` of an import, at most 100 with `*`. If either is given, all other labels of the run count as requests.";

export const LOAD_TEST_CHANGES = object({
  ...allOptional(ATTRIBUTE_SCHEMAS),
  addTags: optional(list(TEXT, "Tags to add.")),
  removeTags: optional(list(TEXT, "Tags to remove.")),
  finished: optional(
    FLAG,
    "Whether the run is finished. Data that arrive later are still accepted.",
  ),
  measure: optional(list(TEXT, `Labels that are measures, ${CHOSEN}`)),
  ignore: optional(list(TEXT, `Labels to leave out, ${CHOSEN}`)),
});

export type LoadTestChanges = Static<typeof LOAD_TEST_CHANGES>;

/** Of `GET /Api/Tags`. */
export const TAG_COUNTS = object({
  loadTests: about(WHOLE, "Number of matching load tests."),
  tags: list(object({ tag: TEXT, loadTests: WHOLE }), "Most frequent first, then by UTF-8 bytes."),
});

export type TagCounts = Static<typeof TAG_COUNTS>;
