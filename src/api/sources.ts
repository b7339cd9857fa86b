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
  quality: { type: "object", description: "What the figures of the file cannot tell." },
} as const;

/** Files that were imported whole into any load test, by their content. */
export const FOUND_SCHEMA = object({
  sources: list(object({ loadTestId: TEXT, ...REQUIRED }, OPTIONAL)),
});

/** The sources of one load test: those that still grow, and files that were imported whole. */
export const SOURCES_SCHEMA = object({
  live: list(object({ sourceId: TEXT, lastSequence: WHOLE })),
  published: list(object(REQUIRED, OPTIONAL)),
});

export const DUPLICATE_SCHEMA = object({
  duplicate: { type: "boolean", description: "The same bytes were there already." },
});

export type Duplicate = Static<typeof DUPLICATE_SCHEMA>;
