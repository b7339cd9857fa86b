import { ANY_FINDINGS, BURST, QUALITY_FINDING, STEP } from "../api/findings.ts";
import type { QualityRemark } from "../api/parts.ts";
import type { Static } from "../api/schema.ts";
import type { BurstFinding } from "../analysis/findings/read-burst.ts";
import type { StepFinding } from "../analysis/findings/read-step.ts";
import type { FoundOut } from "../analysis/load-test-reader.ts";
import { formOf, type Form } from "./form-of.ts";

const ANY_FORM = formOf(ANY_FINDINGS);
const [STEP_FORM, BURST_FORM, QUALITY_FORM] = [
  formOf(STEP),
  formOf(BURST),
  formOf(QUALITY_FINDING),
];

/** Parses `GET /Api/LoadTests/{id}/Findings`. Skips unknown kinds. */
export const FINDINGS_FORM: Form<FoundOut> = (value, place) => {
  let [step, burst]: [FoundOut["step"], FoundOut["burst"]] = [undefined, undefined];
  const quality: QualityRemark[] = [];
  for (const [index, { kind }] of ANY_FORM(value, place).entries()) {
    const [found, where] = [(value as unknown[])[index], `${place}[${index}]`];
    if (kind === "step") step = stepOf(STEP_FORM(found, where));
    if (kind === "burst") burst = burstOf(BURST_FORM(found, where));
    if (kind === "quality") {
      const { code, message } = QUALITY_FORM(found, where);
      quality.push({ code, message });
    }
  }
  return { step, burst, quality };
};

function stepOf({ at, p95Before, p95After, backAt, endpoints }: Static<typeof STEP>): StepFinding {
  return {
    at,
    beforeMicros: Math.round(p95Before * 1_000_000),
    afterMicros: Math.round(p95After * 1_000_000),
    backAt,
    endpoints,
  };
}

function burstOf({ errCount, allErrCount, failure, ...burst }: Static<typeof BURST>): BurstFinding {
  const { from, until, endpoints } = burst;
  const kind =
    failure === undefined
      ? undefined
      : { code: failure.code, message: failure.message, failures: failure.count };
  return { from, until, failures: errCount, allFailures: allErrCount, kind, endpoints };
}
