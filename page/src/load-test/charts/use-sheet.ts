import { useContext, useRef } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { askEach, askHeatmap, askMerged, type Scope } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { chartWidth } from "../../charts/axes.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { hasBand, hasLines, hasStrips } from "../endpoints/endpoint-lines.ts";
import { HoldingContext } from "../scope/holding.ts";
import { readableResolution, resolutionFor } from "../scope/scope.ts";
import { answers, bestSheet, grainIn, requestsIn, type Sheet, type SheetRequest } from "./sheet.ts";

/** So many answers are kept: zooming out, panning back and turning to lines again ask nothing. */
const SHEETS_MAX = 16;

export interface DrawnSheet {
  /** What is to be drawn now; `undefined` before the first answer. */
  readonly sheet: Sheet | undefined;
  readonly error: ApiError | undefined;
}

/**
 * What is drawn over time of a scope. What is there already is drawn at once and without a request, as
 * far as it goes. `requests` are those of the range, `undefined` as long as nobody knows them.
 */
export function useSheet(
  request: Omit<SheetRequest, "resolution">,
  requests: number | undefined,
): DrawnSheet {
  const holding = useContext(HoldingContext);
  const isNarrow = useIsNarrow();
  const kept = useRef<readonly Sheet[]>([]);
  const told = grainIn(kept.current, request);
  const grainSeconds = readableGrain(told, holding.grainSeconds);
  const known = requestsIn(kept.current, request) ?? requests;
  const resolution =
    known === undefined ? undefined : resolutionOf(request, known, { isNarrow, grainSeconds });
  const whole = { ...request, resolution: resolution ?? grainSeconds };
  const isThere = kept.current.some((sheet) => answers(sheet, whole));
  const isAsked = resolution !== undefined && !isThere;
  const question = isAsked ? JSON.stringify({ ...whole, version: 0 }) : "";
  const asked = useAnswer("sheet", question, (signal) => askSheet(whole, grainSeconds, signal), {
    version: request.version,
  });
  if (asked.value !== undefined && !kept.current.includes(asked.value)) {
    kept.current = [asked.value, ...kept.current].slice(0, SHEETS_MAX);
  }
  return {
    sheet: bestSheet(kept.current, whole),
    error: isAsked ? asked.error : undefined,
  };
}

function resolutionOf(
  { scope: { hashes }, range: { from, until }, isHeatmap }: Omit<SheetRequest, "resolution">,
  requests: number,
  { isNarrow, grainSeconds }: { readonly isNarrow: boolean; readonly grainSeconds: number },
): number {
  // What is drawn for each endpoint has to be enough of each.
  const lines = isHeatmap ? 1 : Math.max(1, hashes.length);
  const width = chartWidth(isNarrow, lines > 1);
  return resolutionFor(Math.max(1, until - from), requests / lines, width, grainSeconds);
}

/** Seconds that points are multiples of: of what is told and what is held, where both go together. */
function readableGrain(told: number, held: number): number {
  const readable = readableResolution(told);
  return readable % held === 0 ? readable : held;
}

/** How long a point is, and why it is no shorter where there would be room for that. */
export function pointsText(
  sheet: Sheet,
  { isNarrow, grainSeconds }: { readonly isNarrow: boolean; readonly grainSeconds: number },
): string {
  const { resolution } = sheet;
  const finest = resolutionOf(sheet, Infinity, {
    isNarrow,
    grainSeconds: readableGrain(sheet.toldSeconds, grainSeconds),
  });
  const isForRequests = resolution > finest;
  return `${resolution} s per point${isForRequests ? " (p95 needs 100 requests)" : ""}`;
}

async function askSheet(
  request: SheetRequest,
  toldSeconds: number,
  signal: AbortSignal,
): Promise<Sheet> {
  const { scope, range, resolution, isHeatmap } = request;
  const { hashes } = scope;
  const asked: Scope = { ...scope, ...range };
  const [merged, each, heatmaps] = await Promise.all([
    askMerged(asked, resolution, signal, hasBand(hashes)),
    hasLines(hashes) ? askEach(asked, resolution, signal, "50,95,99") : undefined,
    isHeatmap ? askHeatmaps(asked, resolution, signal) : [],
  ]);
  return { ...request, toldSeconds, merged, each, heatmaps };
}

function askHeatmaps(scope: Scope, resolution: number, signal: AbortSignal) {
  const parts = hasStrips(scope.hashes) ? scope.hashes.map((hash) => [hash]) : [scope.hashes];
  return Promise.all(parts.map((hashes) => askHeatmap({ ...scope, hashes }, resolution, signal)));
}
