import type { JsonSchema } from "../../api/schema.ts";

const count = { type: "integer", minimum: 0 };
const secondOrNull = { type: ["integer", "null"], minimum: 1, maximum: 4_294_967_295 };

const REJECTION = {
  title: "Rejection",
  type: "object",
  properties: {
    line: { type: "integer", minimum: 1 },
    byte: count,
    reason: { type: "string" },
  },
  required: ["line", "byte", "reason"],
  additionalProperties: false,
};

const OTHER = {
  title: "OtherRequests",
  type: "object",
  properties: {
    requests: { type: "integer", minimum: 1 },
    labels: {
      type: ["integer", "null"],
      minimum: 1,
      description: "How many labels; `null` where they were too many to tell them apart.",
    },
    labelsMax: { type: "integer", minimum: 1, description: "Labels that a load test may have." },
  },
  required: ["requests", "labels", "labelsMax"],
  additionalProperties: false,
};

const PROPERTIES = {
  loadTestId: { type: "string" },
  format: { type: "string", description: "Name of the format, as `format` takes it." },
  source: { type: "string" },
  samples: {
    type: "object",
    description:
      "Records of the file: rows, or windows of many requests. `read` is always `recorded` and " +
      "`rejected` together.",
    properties: { read: count, recorded: count, rejected: count },
    required: ["read", "recorded", "rejected"],
    additionalProperties: false,
  },
  requests: {
    ...count,
    description: "Without those of transactions and sub-results, unless there are no others.",
  },
  failedRequests: { ...count, description: "Of `requests`." },
  transactions: { ...count, description: "Rows of transactions." },
  subresults: { ...count, description: "Rows of sub-results." },
  endpoints: count,
  other: {
    oneOf: [{ type: "null" }, OTHER],
    description: "What is of labels for which there was no room: it counts under `(other)`.",
  },
  from: { ...secondOrNull, description: "First UNIX second with a sample." },
  until: { ...secondOrNull, description: "Last UNIX second with a sample, included." },
  rejections: { type: "array", items: REJECTION, description: "The first 20 of them." },
  cut: {
    oneOf: [{ type: "null" }, REJECTION],
    description: "Where the file ends inside a record or without its closing part.",
  },
  alreadyImported: {
    type: "boolean",
    description:
      "The same content or a later state of it was in the load test: nothing has changed.",
  },
  notes: { type: "array", items: { type: "string" } },
  seconds: { type: "number", minimum: 0 },
};

/** What became of an upload: the report of `tachograph import --json`. */
export const REPORT_SCHEMA: JsonSchema = {
  title: "ImportReport",
  type: "object",
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
};

const UPLOAD_PROPERTIES = {
  file: { type: "string" },
  receivedBytes: count,
  sizeBytes: {
    type: ["integer", "null"],
    minimum: 0,
    description: "`null` where it is not known.",
  },
  format: { type: ["string", "null"], description: "`null` until it is found." },
  recorded: {
    ...count,
    description:
      "Requests that are stored, though not to be seen yet; transactions and sub-results included.",
  },
};

/** Files that are being received. */
export const UPLOADS_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    uploads: {
      type: "array",
      items: {
        type: "object",
        properties: UPLOAD_PROPERTIES,
        required: Object.keys(UPLOAD_PROPERTIES),
        additionalProperties: false,
      },
    },
  },
  required: ["uploads"],
  additionalProperties: false,
};

/** What became of files that were stopped. */
export const STOPPED_SCHEMA: JsonSchema = {
  type: "object",
  properties: { reports: { type: "array", items: REPORT_SCHEMA } },
  required: ["reports"],
  additionalProperties: false,
};
