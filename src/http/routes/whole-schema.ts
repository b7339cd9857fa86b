import type { JsonSchema } from "../route.ts";

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
