import { SENT_COUNT_MAX } from "../model/exact.ts";
import { CHECKED_FIGURES } from "../model/quality/row-quality.ts";
import { REPAIRS } from "../model/quality/repairs.ts";
import { UNRECORDED } from "../model/source-quality.ts";
import { FLAG, SECOND, TEXT, WHOLE } from "./parts.ts";
import { about, choice, list, object, optional, type Static } from "./schema.ts";

const QUALITY = { type: "object" } as const;

const SOURCE = {
  sourceId: TEXT,
  name: TEXT,
  format: TEXT,
  sizeBytes: WHOLE,
  digest: TEXT,
  marks: optional(TEXT),
  quality: about(QUALITY, "Limitations of the figures of the file."),
} as const;

/** Completely imported files of any load test, by content. */
export const FOUND_SCHEMA = object({
  sources: list(object({ loadTestId: TEXT, ...SOURCE })),
});

/** The sources of one load test: live senders and completely imported files. */
export const SOURCES_SCHEMA = object({
  live: list(
    object({
      sourceId: TEXT,
      lastSequence: WHOLE,
      quality: optional(QUALITY, "Rows that are not counted as they were sent."),
    }),
  ),
  published: list(object(SOURCE)),
});

const IS_DUPLICATE = about(FLAG, "The same bytes had been stored before.");

export const DUPLICATE_SCHEMA = object({ duplicate: IS_DUPLICATE });

const COUNT = { ...WHOLE, maximum: Number.MAX_SAFE_INTEGER } as const;

const MEASUREMENTS = list(object({ name: TEXT, values: COUNT }));

export const APPENDED_SCHEMA = object({
  duplicate: IS_DUPLICATE,
  unstored: optional(MEASUREMENTS, "Values of series beyond the limit, by measure."),
  otherFacets: optional(
    MEASUREMENTS,
    "Requests beyond the limits on series, by label. Their facets count as `(other)`.",
  ),
});

/** Of a note of rows, which those of all sources are added to. */
const ROWS = { ...WHOLE, maximum: SENT_COUNT_MAX } as const;

const ROWS_BY_NAME = list(object({ name: TEXT, values: ROWS }));

export const PUBLICATION = object({
  name: about(TEXT, "As named by the user; at most 1,000 characters."),
  format: about(TEXT, "Name of the format, such as jmeter-csv."),
  sizeBytes: about(COUNT, "Length of the uncompressed content."),
  digest: about(TEXT, "Digest of the uncompressed content: `gmac:` and 32 lower-case hex digits."),
  marks: optional(TEXT, "Identifies earlier states of the file (docs/decisions/010)."),
  unrecorded: list(choice(UNRECORDED), "Columns that no request of the source has."),
  untimedRequests: about(COUNT, "Requests without a response time."),
  averagedRequests: about(
    COUNT,
    "Requests whose response time is known only as part of an average.",
  ),
  windowSeconds: about(COUNT, "Length of the longest window into which the tool merged requests."),
  rejectedRows: about(ROWS, "Rows of which not even the outcome can be read."),
  repairedRows: optional(
    object(Object.fromEntries(REPAIRS.map((kind) => [kind, optional(ROWS)]))),
    "Counted rows of which something is unknown, by what.",
  ),
  discrepancies: optional(
    list(object({ figure: choice(CHECKED_FIGURES), reported: COUNT, counted: COUNT })),
    "Totals in the file that differ from what was counted in it.",
  ),
  measurements: optional(ROWS_BY_NAME, "Measurements that were stored as measures."),
  unreadValues: optional(
    ROWS_BY_NAME,
    "Values of measures that could not be read or stored, by measure.",
  ),
  ignored: optional(ROWS_BY_NAME, "Labels that were left out on demand, with their requests."),
  otherFacets: optional(
    ROWS_BY_NAME,
    "Requests by label that have `(other)` as the value of a facet.",
  ),
  truncatedAtByte: optional(COUNT, "Where the file was truncated."),
  extent: optional(
    object({ from: SECOND, until: SECOND }),
    "First and last second of the run, if the file says it: its windows may reach beyond them.",
  ),
  batches: optional(
    COUNT,
    "How many batches were sent: with fewer, nothing is published (`source-incomplete`).",
  ),
  replaces: optional(
    list(TEXT, "Visible sources that it replaces: earlier states of the same file."),
  ),
});

export type Publication = Static<typeof PUBLICATION>;
