import { CHANGES } from "../../api/client.ts";
import { askFailures, askOverall, type Failures, type Scope } from "../../api/figures.ts";
import { type Asked, useAnswer } from "../../api/use-answer.ts";
import { useEarlierRuns } from "../baseline.ts";
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
}: IncidentRequest): Asked<IncidentAnswers> {
  const within = { ...scope, ...stretch };
  const earlier = stretchBefore(stretch, whole);
  const runs = useEarlierRuns(scope.id, name);
  const base = runs.value?.baseline;
  const isKnown = !CHANGES || runs.value !== undefined || runs.error !== undefined;
  return useAnswer(
    "incident",
    isKnown ? JSON.stringify([within, whole.from, base?.id]) : "",
    async (signal): Promise<IncidentAnswers> => {
      const [during, before, failures, part] = await Promise.all([
        askPart(scope, stretch, signal),
        earlier && askPart(scope, earlier, signal),
        askFailures(within, stretch.until - stretch.from, signal),
        base && askPart({ ...scope, id: base.id }, stretchIn(stretch, whole, base.from), signal),
      ]);
      const baseline = base && part && { id: base.id, ...part };
      return { during, before, failures, baseline };
    },
    { version },
  );
}

/** All requests, whichever the page shows: failures are part of an incident. */
async function askPart(scope: Scope, { from, until }: Range, signal: AbortSignal): Promise<Part> {
  return {
    figures: await askOverall({ ...scope, from, until, outcome: undefined }, signal),
    seconds: until - from,
  };
}
