import type { OmissionFinding } from "../../api/findings.ts";
import type { QualityRemark } from "../../api/parts.ts";
import type { Figures, SummaryFigures } from "../../api/summary.ts";
import { omissionText } from "../findings/generator-texts.ts";
import { averageAtLeast, percentileAtLeast } from "../findings/omitted-times.ts";
import { growthBetween } from "./doubt.ts";
import {
  type Bounds,
  figuresIn,
  isBeyond,
  type Judged,
  type Limit,
  measuredBy,
  percentOfFigure,
} from "./limit.ts";

/** What a load generator omitted in a run, if anything. */
type Omission = OmissionFinding | undefined;

export function omissionRemarks(omission: Omission): readonly QualityRemark[] {
  if (omission === undefined) return [];
  return [{ code: "requests-omitted", message: omissionText(omission) }];
}

/** A limit on response times is not evaluated if it would break with the requests that the generator omitted. */
export function withDoubtOfOmission(
  judged: Judged,
  summary: SummaryFigures,
  omission: Omission,
): Judged {
  const { limit, outcome, comparison } = judged;
  const figures = figuresIn(summary, limit);
  if (omission === undefined || figures === undefined || outcome === "broken") return judged;
  const times = possibleTimes(limit, figures, omission);
  const base = comparison?.base;
  const isJudgeable = limit.kind === "value" || (limit.kind === "growth" && base !== undefined);
  if (times === undefined || !isJudgeable) return judged;
  const possible = base === undefined ? times : growthBetween(limit, [base, base], times);
  if (!isBeyond(possible[1], limit)) return judged;
  return { ...judged, outcome: "notEvaluated", possible, isOmitted: true };
}

/** As recorded, and at least with what was omitted; `undefined` if it is the same, or unless the limit is on a percentile or an average. */
function possibleTimes(
  limit: Limit,
  figures: Figures,
  { stalls, count: all }: OmissionFinding,
): Bounds | undefined {
  const recorded = measuredBy(limit, figures);
  const percent = percentOfFigure(limit.figure);
  if (recorded === undefined || (percent === undefined && limit.figure !== "avg")) return undefined;
  const { count } = figures;
  const of = { count, share: count / all };
  const least =
    percent === undefined
      ? averageAtLeast(recorded, stalls, of)
      : percentileAtLeast(percent, stalls, of);
  return least > recorded ? [recorded, least] : undefined;
}
