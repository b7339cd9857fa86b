import type { DerivedRole } from "../model/role.ts";
import type { ComparedRow, Comparison } from "../operations/compare-judge.ts";
import type { LoadTestComparison } from "../operations/compare-load-tests.ts";
import type { SummaryFigures } from "../operations/load-test-reader.ts";
import type { Figures } from "../operations/figures.ts";
import type { WholeContents } from "../operations/whole.ts";
import {
  flag,
  type Form,
  list,
  type MemberForms,
  members,
  number,
  oneOf,
  optional,
  second,
  text,
} from "./answer-form.ts";

interface Endpoint {
  readonly label: string;
  readonly hash: string;
}

const ENDPOINT: MemberForms<Endpoint> = { label: text, hash: text };

export interface EndpointWithRole extends Endpoint {
  readonly role?: DerivedRole | undefined;
}

export const ENDPOINT_WITH_ROLE: MemberForms<EndpointWithRole> = {
  ...ENDPOINT,
  role: optional(oneOf(["transaction", "subresult"])),
};

const WHOLE_CONTENTS: MemberForms<WholeContents> = {
  overallOf: oneOf(["requests", "everything"]),
  leftOut: members<WholeContents["leftOut"]>({ transactions: number, subresults: number }),
};

const FIGURES: MemberForms<Figures> = {
  count: number,
  errCount: number,
  errRate: number,
  avgLoadTime: number,
  errAvgLoadTime: number,
  minLoadTime: optional(number),
  maxLoadTime: optional(number),
  p50: optional(number),
  p90: optional(number),
  p95: optional(number),
  p99: optional(number),
  p999: optional(number),
  receivedBytes: number,
  downloadSize: number,
  errDownloadSize: number,
  reqPerSec: number,
  kbPerSec: number,
  from: optional(second),
  until: optional(second),
  range: number,
  apdex: optional(number),
};

/** Of `GET /Api/LoadTests/{id}/Summary`. */
export const SUMMARY: Form<SummaryFigures> = members<SummaryFigures>({
  overall: members<Figures>(FIGURES),
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
  verdict: oneOf(["slower", "faster", "unchanged", "tooFew", "new", "gone"]),
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
});

interface FailuresJson extends Endpoint {
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
  members<FailuresJson>({ ...ENDPOINT, errCount: number, withoutKind: number, kinds: list(KIND) }),
);
