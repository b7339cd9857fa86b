import { type ANY_FINDINGS, BURST, QUALITY_FINDING, STEP } from "../api/findings.ts";
import type { QualityRemark } from "../api/parts.ts";
import type { Static } from "../api/schema.ts";
import type { BurstFinding } from "../analysis/findings/read-burst.ts";
import type { StepFinding } from "../analysis/findings/read-step.ts";
import type { FoundOut } from "../analysis/load-test-reader.ts";
import { formed } from "./form-of.ts";

const WHAT = "the answer of the server to GET Findings";

/** The findings in a response. Skips unknown kinds. Throws `bad-answer`. */
export function findingsOf(answer: Static<typeof ANY_FINDINGS>): FoundOut {
  let [step, burst]: [FoundOut["step"], FoundOut["burst"]] = [undefined, undefined];
  const quality: QualityRemark[] = [];
  for (const [index, found] of answer.entries()) {
    const { kind } = found;
    const where = `[${index}]`;
    if (kind === "step") step = stepOf(formed(STEP, found, WHAT, where));
    if (kind === "burst") burst = burstOf(formed(BURST, found, WHAT, where));
    if (kind === "quality") {
      const { code, message } = formed(QUALITY_FINDING, found, WHAT, where);
      quality.push({ code, message });
    }
  }
  return { step, burst, quality };
}

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
