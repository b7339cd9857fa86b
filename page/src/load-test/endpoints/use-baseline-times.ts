import { askSummary, type Scope } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { type EarlierRun, useEarlierRuns } from "../baseline.ts";
import { stretchIn } from "../incident/incident.ts";
import type { LoadTestPart } from "../part.ts";
import type { BaselineTimes } from "./sort-endpoints.ts";

type Part = Pick<LoadTestPart, "scope" | "range" | "whole" | "isGrowing">;

interface TimesRequest extends Part, Pick<LoadTestPart, "name"> {
  /** Whether only a part of very many endpoints is listed. */
  readonly isPart: boolean;
}

/** The p95 of each endpoint in the baseline, in the same seconds since the start. */
export function useBaselineTimes({ name, isPart, ...part }: TimesRequest): BaselineTimes {
  const { scope } = part;
  const { value: earlier } = useEarlierRuns(scope.id, name);
  const base = earlier?.baseline;
  const asked = base && !isPart && scope.by === undefined ? scopeIn(base, part) : undefined;
  const subject = JSON.stringify([base?.id, scope]);
  const { value } = useAnswer(
    "baseline table",
    asked === undefined ? "" : JSON.stringify([asked, subject]),
    async (signal) => {
      if (asked === undefined) throw new Error("BUG: asked for no baseline");
      const { endpoints } = await askSummary(asked, signal);
      const times = endpoints.flatMap(({ hash, p95 }) =>
        p95 === null ? [] : [[hash, p95] as const],
      );
      return { subject, times: new Map(times) };
    },
  );
  // While the run grows, the column stays until the next answer.
  return asked !== undefined && value?.subject === subject ? value.times : undefined;
}

/** The same seconds of the baseline: all of it, unless a part of the run is shown or known. */
export function scopeIn(
  base: Pick<EarlierRun, "id" | "from">,
  { scope, range, whole, isGrowing }: Part,
): Scope {
  const isAll = scope.from === undefined && scope.until === undefined && !isGrowing;
  const seconds = isAll ? {} : stretchIn(range, whole, base.from);
  return { ...scope, id: base.id, from: undefined, until: undefined, ...seconds };
}
