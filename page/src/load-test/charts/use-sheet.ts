import { useContext, useRef } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { askEach, askHeatmap, askMerged, type Scope, type Series } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { chartWidth } from "../../charts/axes.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { hasBand, hasStrips } from "../endpoints/endpoint-lines.ts";
import { HoldingContext } from "../scope/holding.ts";
import { readableResolution } from "../scope/scope.ts";
import { type Resolutions, resolutionsOf } from "./resolutions.ts";
import { answers, bestSheet, grainIn, requestsIn, type Sheet, type SheetRequest } from "./sheet.ts";

/** Number of cached answers: zooming out, panning back and returning to lines send no request. */
const SHEETS_MAX = 16;

export interface DrawnSheet {
  /** What to draw; `undefined` before the first answer. */
  readonly sheet: Sheet | undefined;
  readonly error: ApiError | undefined;
}

interface DrawnRequest extends Omit<SheetRequest, keyof Resolutions> {
  /** Length of every point in seconds, if chosen by the user. */
  readonly chosenSeconds: number | undefined;
}

/**
 * The data over time of a scope. Cached data are drawn at once, as far as they go. `requests` counts those of
 * the range, per endpoint with a line or overall; `undefined` if unknown.
 */
export function useSheet(
  { chosenSeconds, ...request }: DrawnRequest,
  requests: readonly number[] | undefined,
): DrawnSheet {
  const holding = useContext(HoldingContext);
  const isNarrow = useIsNarrow();
  const kept = useRef<readonly Sheet[]>([]);
  const told = grainIn(kept.current, request);
  const grainSeconds = readableGrain(told, holding.grainSeconds);
  const known = requestsIn(kept.current, request) ?? requests;
  const { hashes } = request.scope;
  const widthPixels = chartWidth(isNarrow, hashes.length > 1 && !request.isHeatmap);
  const resolutions =
    known && resolutionsOf({ ...request, hashes, chosenSeconds, widthPixels, grainSeconds }, known);
  const whole = { ...request, ...(resolutions ?? resolutionsAt(grainSeconds)) };
  const isThere = kept.current.some((sheet) => answers(sheet, whole));
  const isAsked = resolutions !== undefined && !isThere;
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

function resolutionsAt(seconds: number): Resolutions {
  return { resolution: seconds, countResolution: seconds, lineResolutions: [] };
}

/** Point lengths are multiples of this many seconds, common to the sources and the stored data. */
function readableGrain(told: number, held: number): number {
  const readable = readableResolution(told);
  return readable % held === 0 ? readable : held;
}

async function askSheet(
  request: SheetRequest,
  recordedSeconds: number,
  signal: AbortSignal,
): Promise<Sheet> {
  const { scope, range, resolution, countResolution, isHeatmap } = request;
  const asked: Scope = { ...scope, ...range };
  const [merged, finer, each, heatmaps] = await Promise.all([
    askMerged(asked, resolution, signal, hasBand(scope.hashes)),
    countResolution === resolution ? undefined : askMerged(asked, countResolution, signal),
    askLines(asked, request.lineResolutions, signal),
    isHeatmap ? askHeatmaps(asked, resolution, signal) : [],
  ]);
  return { ...request, recordedSeconds, merged, counts: finer ?? merged, each, heatmaps };
}

/** Endpoints with the same resolution share a request. */
async function askLines(
  scope: Scope,
  resolutions: readonly number[],
  signal: AbortSignal,
): Promise<readonly Series[] | undefined> {
  if (resolutions.length === 0) return undefined;
  const groups = Map.groupBy(scope.hashes, (_, index) => resolutions[index] ?? 1);
  const finest = Math.min(...resolutions);
  const answered = await Promise.all(
    [...groups].map(async ([resolution, hashes]) => {
      const lines = await askEach({ ...scope, hashes }, resolution, signal, "50,95,99");
      return resolution === finest ? lines : lines.map((line) => onFinerGrid(line, resolution));
    }),
  );
  return answered.flat();
}

/**
 * Stretches a series, whose points say how many seconds they cover, onto a grid of shorter windows.
 */
function onFinerGrid(series: Series, resolution: number): Series {
  const windows = series.labels.map((_, point) =>
    Math.max(resolution, series.windows?.[point] ?? 0),
  );
  return { ...series, windows };
}

function askHeatmaps(scope: Scope, resolution: number, signal: AbortSignal) {
  const parts = hasStrips(scope.hashes) ? scope.hashes.map((hash) => [hash]) : [scope.hashes];
  return Promise.all(parts.map((hashes) => askHeatmap({ ...scope, hashes }, resolution, signal)));
}
