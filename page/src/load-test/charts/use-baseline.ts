import { askMerged, selectionOf } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { type EarlierRun, useEarlierRuns } from "../baseline.ts";
import { stretchIn } from "../incident/incident.ts";
import type { BaselineSeries } from "./baseline-lines.ts";
import type { Sheet } from "./sheet.ts";
import type { LoadTestPart } from "../part.ts";

interface BaselineRequest extends Pick<LoadTestPart, "name" | "scope" | "range" | "whole"> {
  /** While it grows, the last good run stands in for a baseline. */
  readonly isGrowing: boolean;
  readonly sheet: Sheet | undefined;
  readonly isHidden: boolean;
}

/** The baseline in the points of the sheet; `undefined` without one, or while it is hidden. */
export function useBaseline(request: BaselineRequest): BaselineSeries | undefined {
  const { name, scope, isGrowing, sheet, isHidden } = request;
  const { value: earlier } = useEarlierRuns(scope.id, name);
  const base = earlier?.baseline ?? (isGrowing ? earlier?.good[0] : undefined);
  const part = base && sheet && partOf(request, sheet, base);
  const isAsked = part !== undefined && !isHidden;
  const subject = selectionOf(scope);
  const asked = useAnswer(
    "baseline",
    isAsked ? JSON.stringify([part, subject]) : "",
    async (signal): Promise<BaselineSeries> => {
      if (part === undefined) throw new Error("BUG: asked for no baseline");
      const { id, range, resolution, countResolution } = part;
      const of = { ...scope, id, ...range };
      const [merged, counts] = await Promise.all([
        askMerged(of, resolution, signal),
        askMerged(of, countResolution, signal),
      ]);
      return { ...part, subject, merged, counts };
    },
  );
  // Other points of the same endpoints are drawn until the new ones arrive.
  return isAsked && asked.value?.subject === subject ? asked.value : undefined;
}

/** The same seconds since the start, as far as the baseline has them, in whole points. */
function partOf(
  { range, whole }: BaselineRequest,
  { resolution, countResolution }: Sheet,
  base: EarlierRun,
): Omit<BaselineSeries, "subject" | "merged" | "counts"> | undefined {
  const same = stretchIn(range, whole, base.from);
  const longest = Math.max(resolution, countResolution);
  const part = {
    from: Math.max(base.from, same.from - (same.from % longest)),
    until: Math.min(base.until + 1, Math.ceil(same.until / longest) * longest),
  };
  if (part.from >= part.until) return undefined;
  const shiftSeconds = whole.from - base.from;
  return { id: base.id, shiftSeconds, range: part, resolution, countResolution };
}
