import { list, object, type StaticMembers } from "./schema.ts";

export const WHOLE = { type: "integer", minimum: 0 } as const;
/** A UNIX second. */
export const SECOND = { ...WHOLE, maximum: 4_294_967_295 } as const;
export const TEXT = { type: "string" } as const;

/** An endpoint: its label and the label's SHA-1. */
export const ENDPOINT = {
  hash: { type: "string", pattern: "^[0-9a-f]{40}$" },
  label: TEXT,
} as const;

/** The kind of an endpoint whose rows are not requests; absent otherwise. */
export const ROLE = {
  type: "string",
  enum: ["transaction", "subresult"],
  description: "Set if the rows repeat requests of other endpoints; absent for ordinary requests.",
} as const;

export const QUALITY_CODES = [
  "untimed-requests",
  "no-distribution",
  "windows",
  "sizes-not-recorded",
  "failure-reasons-not-recorded",
  "users-not-recorded",
  "truncated",
  "rows-rejected",
  "not-recorded-when-imported",
  "percentiles-reported",
  "percentiles-not-merged",
  "telemetry",
] as const;

export const REMARK = { code: { type: "string", enum: QUALITY_CODES }, message: TEXT } as const;

/** A code that is stable across versions, and a sentence for people. */
export type QualityRemark = StaticMembers<typeof REMARK>;

/** Limitations of the figures of a response. */
export const QUALITY = list(
  object(REMARK, {}, { title: "QualityRemark" }),
  "Limitations of the recorded data: a stable code and a sentence.",
);

const LEFT_OUT = object(
  { transactions: WHOLE, subresults: WHOLE },
  {},
  { title: "LeftOut", description: "Number of endpoints not included in `overall`." },
);

/** What the overall figures of a response include. */
export const WHOLE_CONTENTS = {
  overallOf: {
    type: "string",
    enum: ["requests", "everything"],
    description:
      "`everything` if `overall` includes transactions or sub-results, because they were selected " +
      "by hash or because there is nothing else.",
  },
  leftOut: LEFT_OUT,
} as const;

/** A pair of whole numbers, such as a UNIX second and a count. */
export const PAIR = { type: "array", prefixItems: [WHOLE, WHOLE], items: false } as const;
