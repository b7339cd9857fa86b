import type { FoundOut } from "../analysis/load-test-reader.ts";
import type { BurstFinding } from "../analysis/findings/read-burst.ts";
import type { StepFinding } from "../analysis/findings/read-step.ts";
import type { QualityRemark } from "../api/parts.ts";
import { REMARK } from "./measured-forms.ts";
import {
  type Form,
  list,
  type MemberForms,
  members,
  number,
  optional,
  second,
  text,
} from "./answer-form.ts";

interface FindingJson {
  readonly kind: string;
}

interface StepJson extends FindingJson {
  readonly at: number;
  readonly p95Before: number;
  readonly p95After: number;
  readonly backAt?: number;
  readonly endpoints: StepFinding["endpoints"];
}

interface BurstJson extends FindingJson {
  readonly from: number;
  readonly until: number;
  readonly errCount: number;
  readonly allErrCount: number;
  readonly failure?: { readonly code: string; readonly message: string; readonly count: number };
  readonly endpoints: BurstFinding["endpoints"];
}

const ENDPOINTS = list(
  members<{ readonly label: string; readonly hash: string }>({ label: text, hash: text }),
);

const FINDING: MemberForms<FindingJson> = { kind: text };

const STEP = members<StepJson>({
  ...FINDING,
  at: second,
  p95Before: number,
  p95After: number,
  backAt: optional(second),
  endpoints: ENDPOINTS,
});

const FAILURE = members<NonNullable<BurstJson["failure"]>>({
  code: text,
  message: text,
  count: number,
});

const BURST = members<BurstJson>({
  ...FINDING,
  from: second,
  until: second,
  errCount: number,
  allErrCount: number,
  failure: optional(FAILURE),
  endpoints: ENDPOINTS,
});

const QUALITY = members<QualityRemark>(REMARK);

/** Of `GET /Api/LoadTests/{id}/Findings`. Kinds that are not known here are left out. */
export const FINDINGS: Form<FoundOut> = (value, place) => {
  let [step, burst]: [FoundOut["step"], FoundOut["burst"]] = [undefined, undefined];
  const quality: QualityRemark[] = [];
  for (const [index, { kind }] of list(members<FindingJson>(FINDING))(value, place).entries()) {
    const [found, where] = [(value as unknown[])[index], `${place}[${index}]`];
    if (kind === "step") step = stepOf(STEP(found, where));
    if (kind === "burst") burst = burstOf(BURST(found, where));
    if (kind === "quality") {
      const { code, message } = QUALITY(found, where);
      quality.push({ code, message });
    }
  }
  return { step, burst, quality };
};

function stepOf({ at, p95Before, p95After, backAt, endpoints }: StepJson): StepFinding {
  return {
    at,
    beforeMicros: Math.round(p95Before * 1_000_000),
    afterMicros: Math.round(p95After * 1_000_000),
    backAt,
    endpoints,
  };
}

function burstOf({ errCount, allErrCount, failure, ...burst }: BurstJson): BurstFinding {
  const { from, until, endpoints } = burst;
  const kind =
    failure === undefined
      ? undefined
      : { code: failure.code, message: failure.message, failures: failure.count };
  return { from, until, failures: errCount, allFailures: allErrCount, kind, endpoints };
}
