import { UNRECORDED } from "../model/source-quality.ts";
import { TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const REQUIRED = {
  sourceId: TEXT,
  name: TEXT,
  format: TEXT,
  sizeBytes: WHOLE,
  digest: TEXT,
} as const;

const OPTIONAL = {
  marks: TEXT,
  quality: { type: "object", description: "Limitations of the figures of the file." },
} as const;

/** Completely imported files of any load test, by content. */
export const FOUND_SCHEMA = object({
  sources: list(object({ loadTestId: TEXT, ...REQUIRED }, OPTIONAL)),
});

/** The sources of one load test: live senders and completely imported files. */
export const SOURCES_SCHEMA = object({
  live: list(object({ sourceId: TEXT, lastSequence: WHOLE })),
  published: list(object(REQUIRED, OPTIONAL)),
});

export const DUPLICATE_SCHEMA = object({
  duplicate: { type: "boolean", description: "The same bytes had been stored before." },
});

export type Duplicate = Static<typeof DUPLICATE_SCHEMA>;

const COUNT = { ...WHOLE, maximum: Number.MAX_SAFE_INTEGER } as const;

/** Request to publish a staged source. */
export const PUBLICATION = object(
  {
    name: { ...TEXT, description: "As named by the user; at most 1,000 characters." },
    format: { ...TEXT, description: "Name of the format, such as jmeter-csv." },
    sizeBytes: { ...COUNT, description: "Length of the uncompressed content." },
    digest: {
      ...TEXT,
      description: "Digest of the uncompressed content: `gmac:` and 32 lower-case hex digits.",
    },
  },
  {
    marks: {
      ...TEXT,
      description:
        "Identifies earlier states of the file (docs/decisions/010). Without it, size and digest " +
        "refer to the bytes as sent, possibly compressed.",
    },
    unrecorded: list(
      { type: "string", enum: UNRECORDED },
      "Columns that no request of the source has.",
    ),
    untimedRequests: { ...COUNT, description: "Requests without a response time." },
    averagedRequests: {
      ...COUNT,
      description: "Requests whose response time is known only as part of an average.",
    },
    windowSeconds: {
      ...COUNT,
      description: "Length of the longest window into which the tool merged requests.",
    },
    rejectedRows: { ...COUNT, description: "Rejected rows." },
    truncatedAtByte: { ...COUNT, description: "Where the file was truncated." },
    replaces: list(TEXT, "Visible sources that it replaces: earlier states of the same file."),
  },
);

export type Publication = Static<typeof PUBLICATION>;
