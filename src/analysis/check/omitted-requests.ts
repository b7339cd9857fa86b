/** What the figures of a load test may have been with the requests that its load generator did not send. */

import type { OmissionFinding } from "../../api/findings.ts";
import type { QualityRemark } from "../../api/parts.ts";
import type { Figures } from "../../api/summary.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { omissionText } from "../findings/anomaly-texts.ts";
import { averageAtLeast, percentileAtLeast, waitsOf } from "../findings/omitted-times.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { type Bounds, kindOf, type Limit, measuredBy, percentOfFigure } from "./limit.ts";

/** What a load generator omitted in a run, if anything. */
export type Omission = OmissionFinding | undefined;

export function omissionRemarks(omission: Omission): readonly QualityRemark[] {
  if (omission === undefined) return [];
  return [{ code: "requests-omitted", message: omissionText(omission) }];
}

/** Of the whole load generator: the selected endpoints are only a part of what it sends. */
export async function readOmission(
  reader: LoadTestReader,
  part: Pick<ComparedPart, "loadTestId" | "range">,
  limits: readonly Limit[],
): Promise<Omission> {
  const isConcerned = limits.some(({ selector, window, figure }) => {
    const isOfTime = kindOf(figure).units.includes("seconds");
    return selector === undefined && (window === undefined || isOfTime);
  });
  return isConcerned ? reader.omission({ ...part, selection: ALL_ENDPOINTS }) : undefined;
}

/** As recorded, and at least with what was omitted; `undefined` if it is the same, or unless the limit is on a percentile or an average. */
export function possibleTimes(
  limit: Limit,
  figures: Figures,
  { stalls, count: all }: OmissionFinding,
): Bounds | undefined {
  const recorded = measuredBy(limit, figures);
  const percent = percentOfFigure(limit.figure);
  if (recorded === undefined || (percent === undefined && limit.figure !== "avg")) return undefined;
  const { count } = figures;
  const waiting = waitsOf(stalls, count / all);
  const least =
    percent === undefined
      ? averageAtLeast(waiting, { requests: count, seconds: recorded })
      : percentileAtLeast(percent, waiting, count);
  return least > recorded ? [recorded, least] : undefined;
}
