import { about, choice, list, named, type StaticMembers } from "./schema.ts";

export const NUMBER = { type: "number" } as const;
export const NUMBER_OR_NULL = { type: ["number", "null"] } as const;
export const NOT_NEGATIVE = { ...NUMBER, minimum: 0 } as const;
export const WHOLE = { type: "integer", minimum: 0 } as const;
export const WHOLE_OR_NULL = { type: ["integer", "null"], minimum: 0 } as const;
/** A UNIX second. */
export const SECOND = { ...WHOLE, maximum: 4_294_967_295 } as const;
export const SECOND_OR_NULL = { ...WHOLE_OR_NULL, minimum: 1, maximum: 4_294_967_295 } as const;
export const TEXT = { type: "string" } as const;
export const TEXT_OR_NULL = { type: ["string", "null"] } as const;
export const TIME = { ...TEXT, format: "date-time" } as const;
export const TIME_OR_NULL = { ...TEXT_OR_NULL, format: "date-time" } as const;
export const FLAG = { type: "boolean" } as const;

export const NEXT_PAGE = about(
  TEXT_OR_NULL,
  "Value of `after` for the next page; `null` on the last page.",
);

/** An endpoint: its label and the label's SHA-1. */
export const ENDPOINT = {
  hash: { type: "string", pattern: "^[0-9a-f]{40}$" },
  label: TEXT,
} as const;

/** The kind of an endpoint whose rows are not requests; absent otherwise. */
export const ROLE = about(
  choice(["transaction", "subresult"]),
  "Set if the rows repeat requests of other endpoints; absent for ordinary requests.",
);

export const QUALITY_CODES = [
  "untimed-requests",
  "no-distribution",
  "windows",
  "sizes-not-recorded",
  "failure-reasons-not-recorded",
  "users-not-recorded",
  "tool-sends-less",
  "truncated",
  "rows-rejected",
  "rows-repaired",
  "values-rejected",
  "times-unknown",
  "totals-differ",
  "stored-as-measures",
  "labels-ignored",
  "facets-limited",
  "percentiles-reported",
  "percentiles-not-merged",
  "telemetry",
  "lengths-differ",
  "requests-omitted",
] as const;

export const REMARK = { code: choice(QUALITY_CODES), message: TEXT } as const;

/** A code that is stable across versions, and a sentence for people. */
export type QualityRemark = StaticMembers<typeof REMARK>;

export const QUALITY = list(
  named("QualityRemark", REMARK),
  "Limitations of the recorded data: a stable code and a sentence.",
);

const LEFT_OUT = about(
  named("LeftOut", { transactions: WHOLE, subresults: WHOLE }),
  "Number of endpoints not included in `overall`.",
);

/** What the overall figures of a response include. */
export const WHOLE_CONTENTS = {
  overallOf: about(
    choice(["requests", "everything"]),
    "`everything` if `overall` includes transactions or sub-results, because they were selected " +
      "by hash or because there is nothing else.",
  ),
  leftOut: LEFT_OUT,
} as const;

/** A pair of whole numbers, such as a UNIX second and a count. */
export const PAIR = {
  type: "array",
  prefixItems: [WHOLE, WHOLE],
  items: WHOLE,
  minItems: 2,
  maxItems: 2,
} as const;
