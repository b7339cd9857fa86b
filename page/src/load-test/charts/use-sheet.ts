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

/** So many answers are kept: zooming out, panning back and turning to lines again ask nothing. */
const SHEETS_MAX = 16;

export interface DrawnSheet {
  /** What is to be drawn now; `undefined` before the first answer. */
  readonly sheet: Sheet | undefined;
  readonly error: ApiError | undefined;
}

/** What is to be drawn. */
interface DrawnRequest extends Omit<SheetRequest, keyof Resolutions> {
  /** Seconds of every point, where somebody has chosen them. */
  readonly chosenSeconds: number | undefined;
}

/**
 * What is drawn over time of a scope. What is there already is drawn at once and without a request, as
 * far as it goes. `requests` are those of the range, of each endpoint that has a line or of all as one;
 * `undefined` as long as nobody knows them.
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

/** Seconds that points are multiples of: of what is told and what is held, where both go together. */
function readableGrain(told: number, held: number): number {
  const readable = readableResolution(told);
  return readable % held === 0 ? readable : held;
}

async function askSheet(
  request: SheetRequest,
  toldSeconds: number,
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
  return { ...request, toldSeconds, merged, counts: finer ?? merged, each, heatmaps };
}

/** Endpoints of the same resolution in one request. */
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

/** A series whose points say how many seconds they cover, for a grid of shorter windows. */
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
