import type { BurstFinding } from "../../operations/read-burst.ts";
import type { StepFinding } from "../../operations/read-step.ts";
import { LOAD_TEST, PART, queryOf, RAMPS } from "../part.ts";
import { toolOf } from "../tool.ts";

const MICROS_PER_SECOND = 1_000_000;

export const readFindings = toolOf({
  name: "read_findings",
  title: "Read what stands out",
  description:
    "What stands out within one load test: the largest lasting step of response times (when, p95 of " +
    "the minute before and after in seconds, which endpoints became slower by themselves) and the " +
    "largest burst of failures (when, how many of all, of which kind, which endpoints). null where " +
    "there is none.",
  input: { id: LOAD_TEST, ...PART, ...RAMPS },
  async answer(part, measurements) {
    await using opened = await measurements.openReader();
    const { step, burst } = await opened.reader.findings(await queryOf(opened.reader, part));
    return {
      step: step === undefined ? null : stepJson(step),
      burst: burst === undefined ? null : burstJson(burst),
    };
  },
});

function stepJson({ at, beforeMicros, afterMicros, backAt, endpoints }: StepFinding): object {
  return {
    at,
    p95Before: beforeMicros / MICROS_PER_SECOND,
    p95After: afterMicros / MICROS_PER_SECOND,
    backAt: backAt ?? null,
    labels: endpoints.map(({ label }) => label),
  };
}

function burstJson({ from, until, failures, allFailures, ...about }: BurstFinding): object {
  const { kind, endpoints } = about;
  return {
    from,
    until,
    errCount: failures,
    allErrCount: allFailures,
    code: kind?.code ?? null,
    message: kind?.message ?? null,
    labels: endpoints.map(({ label }) => label),
  };
}
