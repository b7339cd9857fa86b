import type { DerivedRole } from "../model/role.ts";
import { type ComparedRow, type Comparison, VERDICTS } from "../analysis/compare/compare-judge.ts";
import type {
  ComparedQuality,
  LoadTestComparison,
} from "../analysis/compare/compare-load-tests.ts";
import type { SummaryFigures } from "../analysis/load-test-reader.ts";
import { type Figures, PERCENTILE_ORIGINS } from "../query/figures.ts";
import { QUALITY_CODES, type QualityRemark } from "../api/parts.ts";
import type { OverallContents } from "../series/overall.ts";
import {
  flag,
  type Form,
  list,
  type MemberForms,
  members,
  number,
  oneOf,
  optional,
  orNull,
  second,
  text,
} from "./answer-form.ts";

interface Endpoint {
  readonly label: string;
  readonly hash: string;
}

const DERIVED_ROLE: Form<DerivedRole | undefined> = optional(oneOf(["transaction", "subresult"]));

const ENDPOINT: MemberForms<Endpoint> = { label: text, hash: text };

interface EndpointWithRole extends Endpoint {
  readonly role?: DerivedRole | undefined;
}

const ENDPOINT_WITH_ROLE: MemberForms<EndpointWithRole> = {
  ...ENDPOINT,
  role: DERIVED_ROLE,
};

const WHOLE_CONTENTS: MemberForms<OverallContents> = {
  overallOf: oneOf(["requests", "everything"]),
  leftOut: members<OverallContents["leftOut"]>({ transactions: number, subresults: number }),
};

const FIGURES: MemberForms<Figures> = {
  count: number,
  errCount: number,
  untimedCount: number,
  errRate: number,
  avgLoadTime: orNull(number),
  errAvgLoadTime: orNull(number),
  minLoadTime: orNull(number),
  maxLoadTime: orNull(number),
  p50: orNull(number),
  p90: orNull(number),
  p95: orNull(number),
  p99: orNull(number),
  p999: orNull(number),
  percentiles: oneOf(PERCENTILE_ORIGINS),
  receivedBytes: orNull(number),
  downloadSize: orNull(number),
  errDownloadSize: orNull(number),
  reqPerSec: number,
  kbPerSec: orNull(number),
  from: optional(second),
  until: optional(second),
  range: number,
  apdex: optional(orNull(number)),
};

export const REMARK: MemberForms<QualityRemark> = { code: oneOf(QUALITY_CODES), message: text };

/** A member `quality`. */
const QUALITY: Form<readonly QualityRemark[]> = list(members<QualityRemark>(REMARK));

/** Of `GET /Api/LoadTests/{id}/Summary`. */
export const SUMMARY: Form<SummaryFigures> = members<SummaryFigures>({
  overall: members<Figures>(FIGURES),
  quality: QUALITY,
  ...WHOLE_CONTENTS,
  endpointCount: optional(number),
  matchingCount: optional(number),
  endpoints: list(members<EndpointWithRole & Figures>({ ...ENDPOINT_WITH_ROLE, ...FIGURES })),
});

const FIGURE = members<Comparison>({
  base: optional(number),
  value: optional(number),
  change: optional(number),
  low: optional(number),
  high: optional(number),
  isSignificant: optional(flag),
});

const ROW: MemberForms<ComparedRow> = {
  verdict: oneOf(VERDICTS),
  count: members<ComparedRow["count"]>({ base: number, value: number }),
  shift: FIGURE,
  errRate: FIGURE,
  avgLoadTime: FIGURE,
  p50: FIGURE,
  p95: FIGURE,
  p99: FIGURE,
};

/** Of `GET /Api/LoadTests/{id}/Compare`. */
export const COMPARISON: Form<LoadTestComparison> = members<LoadTestComparison>({
  overall: members<ComparedRow>(ROW),
  ...WHOLE_CONTENTS,
  endpoints: list(members<EndpointWithRole & ComparedRow>({ ...ENDPOINT_WITH_ROLE, ...ROW })),
  quality: members<ComparedQuality>({ base: QUALITY, value: QUALITY }),
});

interface FailuresJson extends Endpoint {
  readonly leftOut?: DerivedRole | undefined;
  readonly errCount: number;
  readonly withoutKind: number;
  readonly kinds: readonly KindJson[];
}

interface KindJson {
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly from?: number;
  readonly until?: number;
}

const KIND = members<KindJson>({
  code: text,
  message: text,
  count: number,
  from: optional(second),
  until: optional(second),
});

/** Of `GET /Api/LoadTests/{id}/Failures`. */
export const FAILURES: Form<readonly FailuresJson[]> = list(
  members<FailuresJson>({
    ...ENDPOINT,
    leftOut: DERIVED_ROLE,
    errCount: number,
    withoutKind: number,
    kinds: list(KIND),
  }),
);
