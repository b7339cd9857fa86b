import { useMemo, useRef } from "preact/hooks";
import { askMerged } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { Grid, Values } from "../../charts/grid.ts";
import { choicesFor } from "../charts/resolutions.ts";
import type { Sheet } from "../charts/sheet.ts";

/** The 99th percentile of short times within the points of a chart. */
export interface Peaks {
  /** Their length in seconds: 1, or more in a long range. */
  readonly seconds: number;
  readonly labels: readonly number[];
  readonly p99: readonly (number | null)[];
}

/** Requests the peaks within the points of all requests together, none until they come; `undefined` if points are as short, or grow. */
export function usePeaks(sheet: Sheet, isGrowing: boolean): Peaks | undefined {
  const { scope, range, resolution, recordedSeconds, version } = sheet;
  const seconds = choicesFor(range, recordedSeconds)[0] ?? resolution;
  const isFiner = seconds < resolution && !isGrowing;
  const kept = useRef(new Map<string, Peaks>()).current;
  const wanted =
    isFiner && hasOneCurve(sheet) ? JSON.stringify([scope, range, seconds, version]) : "";
  const asked = useAnswer(
    "peaks",
    // Zooming out asks nothing again.
    kept.has(wanted) ? "" : wanted,
    async (signal): Promise<Peaks> => {
      const { labels, percentiles } = await askMerged({ ...scope, ...range }, seconds, signal);
      return { seconds, labels, p99: percentiles["p99"] ?? [] };
    },
  );
  if (asked.value !== undefined) kept.set(asked.question ?? "", asked.value);
  // The line is there before its values: a further line would make the chart anew.
  const none = useMemo(() => ({ seconds, labels: [], p99: [] }), [seconds]);
  return wanted === "" ? undefined : (kept.get(wanted) ?? none);
}

/** Whether the chart shows computed percentiles of all requests together, as lines. */
function hasOneCurve({ each, merged, isHeatmap }: Sheet): boolean {
  const isAlone = each === undefined && merged.band === undefined && !isHeatmap;
  return isAlone && merged.percentileOrigin === "computed";
}

/** The highest one in each point, which has `resolution` seconds; the last is repeated, as lines are. */
export function peaksOn(grid: Grid, { labels, p99 }: Peaks, resolution: number): Values {
  const values: (number | null)[] = grid.seconds.map(() => null);
  for (const [at, second] of labels.entries()) {
    const index = grid.indexOf.get(Math.max(1, second - (second % resolution)));
    const value = p99[at] ?? null;
    if (index !== undefined && value !== null) values[index] = Math.max(values[index] ?? 0, value);
  }
  values[grid.lengths.length] = values[grid.lengths.length - 1] ?? null;
  return values;
}
