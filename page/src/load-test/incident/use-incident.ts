import { CHANGES } from "../../api/client.ts";
import { askFailures, askOverall, type Failures, type Scope } from "../../api/figures.ts";
import { listLoadTests } from "../../api/load-tests.ts";
import { isBaseline } from "../../api/trend.ts";
import { type Asked, useAnswer } from "../../api/use-answer.ts";
import type { Range } from "../scope/range.ts";
import { type Part, stretchBefore, stretchIn } from "./incident.ts";

/** An incident, the time before it, and the same seconds of the baseline. */
export interface IncidentAnswers {
  readonly during: Part;
  readonly before: Part | undefined;
  readonly failures: Failures;
  readonly baseline: (Part & { readonly id: string }) | undefined;
}

interface IncidentRequest {
  readonly scope: Scope;
  /** Of the load test. */
  readonly name: string;
  readonly stretch: Range;
  readonly whole: Range;
  readonly version: number;
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
  return useAnswer(
    "incident",
    JSON.stringify([within, name, whole.from]),
    async (signal): Promise<IncidentAnswers> => {
      const [during, before, failures, baseline] = await Promise.all([
        askPart(scope, stretch, signal),
        earlier && askPart(scope, earlier, signal),
        askFailures(within, stretch.until - stretch.from, signal),
        askBaseline({ scope, name, stretch, whole, version }, signal),
      ]);
      return { during, before, failures, baseline };
    },
    { version },
  );
}

async function askPart(scope: Scope, { from, until }: Range, signal: AbortSignal): Promise<Part> {
  return {
    figures: await askOverall({ ...scope, from, until }, signal),
    seconds: until - from,
  };
}

/** The same seconds since the start in the baseline; `undefined` without one, as in a report. */
async function askBaseline(
  { scope, name, stretch, whole }: IncidentRequest,
  signal: AbortSignal,
): Promise<IncidentAnswers["baseline"]> {
  if (!CHANGES) return undefined;
  const { loadTests } = await listLoadTests({ search: name, tag: "baseline" }, signal);
  const base = loadTests.find((each) => each.name === name && isBaseline(each));
  if (base === undefined || base.id === scope.id || base.from === null) return undefined;
  const { id, from } = base;
  const part = await askPart({ ...scope, id }, stretchIn(stretch, whole, from), signal);
  return { id, ...part };
}
