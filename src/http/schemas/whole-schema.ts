import { QUALITY_CODES } from "../../query/source-facts.ts";
import type { JsonSchema } from "../json-schema.ts";

/** Members of a remark on quality. */
export const REMARK: Readonly<Record<string, JsonSchema>> = {
  code: { type: "string", enum: [...QUALITY_CODES] },
  message: { type: "string" },
};

/** Member of an answer that says what its figures cannot tell. */
export const QUALITY: JsonSchema = {
  type: "array",
  description: "What the sources leave unknown: a code that never changes, and a sentence.",
  items: {
    title: "QualityRemark",
    type: "object",
    required: Object.keys(REMARK),
    additionalProperties: false,
    properties: REMARK,
  },
};

const COUNT = { type: "integer", minimum: 0 };

/** What an endpoint is whose rows are no requests; absent for all others. */
export const ROLE: JsonSchema = {
  type: "string",
  enum: ["transaction", "subresult"],
  description: "Absent where the rows are requests: what they repeat of others.",
};

/** Members of an answer that say what its overall figures are made of. */
export const WHOLE_CONTENTS: Readonly<Record<string, JsonSchema>> = {
  overallOf: {
    type: "string",
    enum: ["requests", "everything"],
    description:
      "`everything` where `overall` holds transactions or sub-results: endpoints that were named " +
      "by hash, or nothing but those.",
  },
  leftOut: {
    title: "LeftOut",
    type: "object",
    description: "How many of the endpoints are not in `overall`.",
    required: ["transactions", "subresults"],
    additionalProperties: false,
    properties: { transactions: COUNT, subresults: COUNT },
  },
};
