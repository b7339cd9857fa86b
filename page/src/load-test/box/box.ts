/** A rectangle of the heatmap: seconds and response times, both half-open. */

import type { Heatmap } from "../../api/figures.ts";
import type { ChartBox } from "../../charts/time-chart-props.ts";

const MICROS = 1_000_000;

/** The parameter of the URL: `FROM-UNTIL,LOW-HIGH` in UNIX seconds and seconds, without HIGH up to any time. */
export function boxText({ from, until, low, high }: ChartBox): string {
  return `${from}-${until},${low}-${high === Infinity ? "" : high}`;
}

const BOX = /^(\d{1,10})-(\d{1,10}),(\d{1,6}(?:\.\d{1,12})?)-(\d{1,6}(?:\.\d{1,12})?)?$/;

/** The rectangle in the URL; `undefined` if there is none, or none that can be understood. */
export function boxOf(parameters: ReadonlyMap<string, string>): ChartBox | undefined {
  const match = BOX.exec(parameters.get("box") ?? "");
  if (match === null) return undefined;
  const [from = 0, until = 0, low = 0, high = Infinity] = match
    .slice(1)
    .map((text: string | undefined) => (text === undefined ? undefined : Number(text)));
  const box = { from, until, low, high };
  return box.from < box.until && box.low < box.high ? box : undefined;
}

/** The rectangle of whole rows around two response times. */
export function inRows({ rows }: Heatmap, { low, high, ...seconds }: ChartBox): ChartBox {
  const first = rows.findLast((floor) => floor <= low) ?? 0;
  return {
    ...seconds,
    low: first,
    high: rows.find((floor) => floor >= high && floor > first) ?? Infinity,
  };
}

/**
 * The response times of a rectangle as whole microseconds for the service. Rows of one whole millisecond hold
 * times around it, because stored times are those of a bucket.
 */
export function microsOf(
  { low, high }: Pick<ChartBox, "low" | "high">,
  heatmaps: readonly Heatmap[],
): { readonly fromMicros: number; readonly untilMicros: number | undefined } {
  const areWhole = heatmaps.every(({ rows }) => rows.every((floor) => isWhole(floor)));
  const bound = (seconds: number): number => {
    if (areWhole && seconds > 0 && isNarrow(seconds) && isWhole(seconds)) {
      return Math.round(seconds * MICROS) - 500;
    }
    // Times below 1,000 microseconds are stored as they are, larger ones as the middle between two.
    const micros = Number((seconds * MICROS).toPrecision(6));
    return micros < 1000 ? Math.ceil(micros) : Math.round(micros);
  };
  const fromMicros = bound(low);
  // The service refuses an empty range.
  const untilMicros = high === Infinity ? undefined : Math.max(fromMicros + 1, bound(high));
  return { fromMicros, untilMicros };
}

/** See `withWholeMilliseconds`: rows above are wider than a millisecond. */
function isNarrow(seconds: number): boolean {
  return seconds < 0.00999;
}

function isWhole(seconds: number): boolean {
  return !isNarrow(seconds) || Number.isInteger(Number((seconds * 1000).toPrecision(6)));
}
