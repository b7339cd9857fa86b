import { timedRequestsOf } from "../model/columns.ts";
import type { SumColumns } from "../model/data-points.ts";
import type { LeftOutWindows } from "../series/sliding-windows.ts";

/** Range of the values of the merged endpoints, per point of the merged series. */
export interface Band {
  readonly lowest: BandEdge;
  readonly highest: BandEdge;
}

export interface BandEdge {
  /** Of the endpoints' average response times; NaN if unknown. */
  readonly averageMicros: Float64Array;
  /** Of their quantiles, one column each. */
  readonly quantileMicros: readonly Float64Array[];
}

export interface SeriesValues {
  /** UNIX seconds at which points begin, ascending. */
  readonly second: Uint32Array;
  /** For each requested quantile its values in microseconds, one per point; NaN if unknown. */
  readonly quantileMicros: readonly Float64Array[];
  readonly sums: SumColumns;
  /** Windows that are not there since they begin or end within a point. @default none */
  readonly leftOut?: LeftOutWindows;
}

function finiteOrNaN(value = Number.NaN): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Collects a band for this many quantiles. */
export function createBand(quantiles: number) {
  const values = quantiles + 1;
  const points = new Map<number, { readonly low: Float64Array; readonly high: Float64Array }>();
  return {
    add({ second, quantileMicros, sums }: SeriesValues): void {
      const timed = timedRequestsOf(sums);
      // NaN without timed requests, like an unknown quantile.
      const averages = sums.elapsedMicros.map((micros, point) => micros / (timed[point] as number));
      const columns = [averages, ...quantileMicros];
      for (let point = 0; point < second.length; point++) {
        const at = second[point] as number;
        const known = points.get(at) ?? {
          low: new Float64Array(values).fill(Infinity),
          high: new Float64Array(values).fill(-Infinity),
        };
        points.set(at, known);
        for (const [index, column] of columns.entries()) {
          const value = column[point] as number;
          if (Number.isNaN(value)) continue;
          known.low[index] = Math.min(known.low[index] as number, value);
          known.high[index] = Math.max(known.high[index] as number, value);
        }
      }
    },
    /** Returns the band at these seconds, each of which has at least one member. */
    compact(second: Uint32Array): Band {
      const column = (edge: "low" | "high", index: number): Float64Array =>
        Float64Array.from(second, (at) => finiteOrNaN(points.get(at)?.[edge][index]));
      const edgeOf = (edge: "low" | "high"): BandEdge => ({
        averageMicros: column(edge, 0),
        quantileMicros: Array.from({ length: quantiles }, (_, index) => column(edge, index + 1)),
      });
      return { lowest: edgeOf("low"), highest: edgeOf("high") };
    },
  };
}
