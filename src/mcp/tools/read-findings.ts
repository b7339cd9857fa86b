import type { BurstFinding } from "../../analysis/findings/read-burst.ts";
import type { StepFinding } from "../../analysis/findings/read-step.ts";
import type { NamedEndpoint } from "../../api/findings.ts";
import { LOAD_TEST, PART, queryOf, RAMPS, limit, shortened } from "../part.ts";
import { toolOf } from "../tool.ts";

const MICROS_PER_SECOND = 1_000_000;

export const readFindings = toolOf({
  name: "read_findings",
  title: "Read anomalies",
  description:
    "Anomalies within one load test: the largest lasting step of response times (when, p95 of " +
    "the minute before and after in seconds, which endpoints became slower) and the largest " +
    "burst of failures (when, how many of all, of which kind, which endpoints). The most " +
    "affected endpoints come first; `labelsNotShown` is the number of further ones. null if " +
    "there is no step or no burst. `quality` lists limitations of the data.",
  input: { id: LOAD_TEST, ...PART, ...RAMPS, limit: limit(20, 200) },
  async answer({ limit: max, ...part }, measurements) {
    await using opened = await measurements.openReader();
    const { step, burst, quality } = await opened.reader.findings(
      await queryOf(opened.reader, part),
    );
    return {
      step: step === undefined ? null : stepJson(step, max),
      burst: burst === undefined ? null : burstJson(burst, max),
      quality,
    };
  },
});

function stepJson(step: StepFinding, max: number): object {
  const { at, beforeMicros, afterMicros, backAt, endpoints } = step;
  return {
    at,
    p95Before: beforeMicros / MICROS_PER_SECOND,
    p95After: afterMicros / MICROS_PER_SECOND,
    backAt: backAt ?? null,
    ...labelsOf(endpoints, max),
  };
}

function burstJson(burst: BurstFinding, max: number): object {
  const { from, until, failures, allFailures, kind, endpoints } = burst;
  return {
    from,
    until,
    errCount: failures,
    allErrCount: allFailures,
    code: kind?.code ?? null,
    message: kind?.message ?? null,
    ...labelsOf(endpoints, max),
  };
}

function labelsOf(endpoints: readonly NamedEndpoint[], max: number): object {
  const { shown, notShown } = shortened(endpoints, max);
  return { labels: shown.map(({ label }) => label), labelsNotShown: notShown };
}
