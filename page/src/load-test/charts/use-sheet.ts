import { useContext, useRef } from "preact/hooks";
import type { ApiError } from "../../api/client.ts";
import { askEach, askHeatmap, askMerged, type Scope, type Series } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { chartWidth } from "../../charts/axes.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { type DrawnLine, hasBand, hasStrips } from "../endpoints/endpoint-lines.ts";
import { HoldingContext } from "../scope/holding.ts";
import { readableResolution } from "../scope/scope.ts";
import { type Resolutions, resolutionsOf } from "./resolutions.ts";
import { answers, bestSheet, grainIn, requestsIn, type Sheet, type SheetRequest } from "./sheet.ts";

/** Number of cached answers: zooming out, panning back and returning to lines send no request. */
const SHEETS_MAX = 16;

/** Lines have the same points whatever the width of the window, so that everybody sees the same peaks. In pixels. */
const LINES_WIDTH = 1200;

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
 * the range, per line or overall; `undefined` if unknown.
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
  const widthPixels = request.isHeatmap ? chartWidth(isNarrow, false) : LINES_WIDTH;
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
  const { scope, range, resolution, countResolution, isHeatmap, lines } = request;
  const asked: Scope = { ...scope, ...range };
  const [merged, finer, each, heatmaps] = await Promise.all([
    askMerged(asked, resolution, signal, hasBand(scope.hashes)),
    countResolution === resolution ? undefined : askMerged(asked, countResolution, signal),
    askLines(asked, request, signal),
    isHeatmap ? askHeatmaps(asked, lines, resolution, signal) : [],
  ]);
  return { ...request, recordedSeconds, merged, counts: finer ?? merged, each, heatmaps };
}

/** Lines with the same resolution are asked together. */
async function askLines(
  scope: Scope,
  { lines, lineResolutions: resolutions }: Pick<SheetRequest, "lines" | "lineResolutions">,
  signal: AbortSignal,
): Promise<readonly Series[] | undefined> {
  if (resolutions.length === 0) return undefined;
  const groups = Map.groupBy(lines, (_, index) => resolutions[index] ?? 1);
  const finest = Math.min(...resolutions);
  const answered = await Promise.all(
    [...groups].map(async ([resolution, group]) => {
      const series = await askSeries(scope, group, resolution, signal);
      return resolution === finest ? series : series.map((each) => onFinerGrid(each, resolution));
    }),
  );
  return answered.flat();
}

/** Endpoints in one request, each value of a facet in its own. */
function askSeries(
  scope: Scope,
  lines: readonly DrawnLine[],
  resolution: number,
  signal: AbortSignal,
): Promise<readonly Series[]> {
  if (scope.hashes.length > 0) {
    const hashes = lines.map(({ key }) => key);
    return askEach({ ...scope, hashes }, resolution, signal, "50,95,99");
  }
  return Promise.all(
    lines.map(async ({ key, text = key, part }) => ({
      ...(await askMerged({ ...scope, ...part }, resolution, signal)),
      hash: key,
      label: text,
    })),
  );
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

function askHeatmaps(
  scope: Scope,
  lines: readonly DrawnLine[],
  resolution: number,
  signal: AbortSignal,
) {
  const parts = hasStrips(lines) ? lines.map(({ part }) => part) : [{}];
  return Promise.all(parts.map((part) => askHeatmap({ ...scope, ...part }, resolution, signal)));
}
