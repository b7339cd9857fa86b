import { CHANGES } from "../../api/client.ts";
import { askFailures, askOverall, type Failures, type Scope } from "../../api/figures.ts";
import { answerTo, useAnswer } from "../../api/use-answer.ts";
import { type EarlierRun, useEarlierRuns } from "../baseline.ts";
import type { Range } from "../scope/range.ts";
import { type Part, stretchBefore, stretchIn } from "./incident.ts";
import type { LoadTestPart } from "../part.ts";

/** An incident, the time before it, and the same seconds of the baseline. */
export interface IncidentAnswers {
  readonly during: Part;
  readonly before: Part | undefined;
  readonly failures: Failures;
  readonly baseline: (Part & { readonly id: string }) | undefined;
}

interface IncidentRequest extends Pick<LoadTestPart, "name" | "scope" | "whole" | "version"> {
  readonly stretch: Range;
}

/** Requests the figures of an incident in the current scope. */
export function useIncident({
  scope,
  name,
  stretch,
  whole,
  version,
}: IncidentRequest): IncidentAnswers | undefined {
  const runs = useEarlierRuns(scope.id, name);
  const base = runs.value?.baseline;
  const isKnown = !CHANGES || runs.value !== undefined || runs.error !== undefined;
  const question = JSON.stringify([{ ...scope, ...stretch }, whole.from, base?.id]);
  const asked = useAnswer(
    "incident",
    isKnown ? question : "",
    (signal) => askIncident({ scope, stretch, whole, base }, signal),
    { version },
  );
  return answerTo(asked, question);
}

interface AskedIncident extends Pick<IncidentRequest, "scope" | "stretch" | "whole"> {
  /** The baseline, if any. */
  readonly base: EarlierRun | undefined;
}

export async function askIncident(
  { scope, stretch, whole, base }: AskedIncident,
  signal: AbortSignal,
): Promise<IncidentAnswers> {
  const within = { ...scope, ...stretch };
  const earlier = stretchBefore(stretch, whole);
  const [during, before, failures, part] = await Promise.all([
    askPart(within, stretch, whole.until, signal),
    earlier && askPart(scope, earlier, whole.until, signal),
    askFailures(within, stretch.until - stretch.from, signal),
    base &&
      askPart(
        { ...scope, id: base.id },
        stretchIn(stretch, whole, base.from),
        base.until + 1,
        signal,
      ),
  ]);
  const baseline = base && part && { id: base.id, ...part };
  return { during, before, failures, baseline };
}

/**
 * All requests, whichever the page shows: failures are part of an incident. `end` is that of the run; its last window may reach
 * further.
 */
async function askPart(
  scope: Scope,
  { from, until }: Range,
  end: number,
  signal: AbortSignal,
): Promise<Part> {
  const figures = await askOverall({ ...scope, from, until, outcome: undefined }, signal);
  const last = Math.max(end, (figures.until ?? 0) + 1);
  return { figures, seconds: Math.max(0, Math.min(until, last) - from) };
}
