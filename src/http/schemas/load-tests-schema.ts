import { ID_PATTERN } from "../../model/id.ts";
import type { JsonSchema } from "../../api/schema.ts";
import { QUALITY } from "../../api/parts.ts";

const time = { type: "string", format: "date-time" };
const timeOrNull = { type: ["string", "null"], format: "date-time" };
const count = { type: "integer", minimum: 0 };
const secondOrNull = { type: ["integer", "null"], minimum: 1, maximum: 4_294_967_295 };

const PROPERTIES = {
  id: { type: "string", pattern: ID_PATTERN },
  name: { type: "string" },
  tags: { type: "array", items: { type: "string" }, description: "Each once, in order." },
  pinned: { type: "boolean", description: "Whether retention leaves it alone." },
  createdAt: time,
  finishedAt: { ...timeOrNull, description: "When somebody said that no more will come." },
  lastDataAt: { ...timeOrNull, description: "When data became visible the last time." },
  endpoints: count,
  requests: {
    ...count,
    description:
      "Failed ones included; without transactions and sub-results, unless there are no others.",
  },
  failedRequests: count,
  from: { ...secondOrNull, description: "First UNIX second with a request." },
  until: { ...secondOrNull, description: "Last UNIX second with a request, included." },
  formats: {
    type: "array",
    items: { type: "string" },
    description: "Names of the formats that its data came in, each once, in order.",
  },
};

/** A load test without its sources. */
export const LOAD_TEST_SCHEMA: JsonSchema = {
  title: "LoadTest",
  type: "object",
  properties: PROPERTIES,
  required: Object.keys(PROPERTIES),
  additionalProperties: false,
};

const SOURCE_SCHEMA: JsonSchema = {
  type: "object",
  description: "A file that was imported.",
  properties: {
    name: { type: "string" },
    format: { type: "string" },
    sizeBytes: { ...count, description: "As it was given, compressed or not." },
    digest: { type: "string", pattern: "^(?:gmac:[0-9a-f]{32}|[0-9a-f]{64})$" },
  },
  required: ["name", "format", "sizeBytes", "digest"],
  additionalProperties: false,
};

/** A load test with its sources. */
export const SHOWN_LOAD_TEST_SCHEMA: JsonSchema = {
  ...LOAD_TEST_SCHEMA,
  title: "LoadTestWithSources",
  properties: { ...PROPERTIES, sources: { type: "array", items: SOURCE_SCHEMA }, quality: QUALITY },
  required: [...Object.keys(PROPERTIES), "sources", "quality"],
};

export const PAGE_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    loadTests: { type: "array", items: LOAD_TEST_SCHEMA, description: "Latest start first." },
    next: {
      type: ["string", "null"],
      description: "Value of `after` for the next page; `null` on the last one.",
    },
  },
  required: ["loadTests", "next"],
  additionalProperties: false,
};
