const TEXT = { type: "string" };
const WHOLE = { type: "integer", minimum: 0 };

const SOURCE_PROPERTIES = {
  sourceId: TEXT,
  name: TEXT,
  format: TEXT,
  sizeBytes: WHOLE,
  digest: TEXT,
  marks: TEXT,
  quality: { type: "object", description: "What the figures of the file cannot tell." },
};
const SOURCE_REQUIRED = ["sourceId", "name", "format", "sizeBytes", "digest"];

export const FOUND_SCHEMA = {
  type: "object",
  required: ["sources"],
  properties: {
    sources: {
      type: "array",
      items: {
        type: "object",
        required: ["loadTestId", ...SOURCE_REQUIRED],
        properties: { loadTestId: TEXT, ...SOURCE_PROPERTIES },
      },
    },
  },
};

export const SOURCES_SCHEMA = {
  type: "object",
  required: ["live", "published"],
  properties: {
    live: {
      type: "array",
      items: {
        type: "object",
        required: ["sourceId", "lastSequence"],
        properties: { sourceId: TEXT, lastSequence: WHOLE },
      },
    },
    published: {
      type: "array",
      items: {
        type: "object",
        required: SOURCE_REQUIRED,
        properties: SOURCE_PROPERTIES,
      },
    },
  },
};

export const DUPLICATE_SCHEMA = {
  type: "object",
  required: ["duplicate"],
  properties: { duplicate: { type: "boolean", description: "The same bytes were there already." } },
};
