import type { Series } from "../../api/figures.ts";
import { type Grid, valuesOn } from "../../charts/grid.ts";
import { type SparkBox, sparkBoxes, sparkPath } from "../../charts/spark-path.ts";

const [WIDTH, HEIGHT] = [142, 20];
/** Failure ticks are at the bottom, below the line. */
const TICK_HEIGHT = 2;
const LINE_HEIGHT = HEIGHT - TICK_HEIGHT - 1;

function onFloor(): SparkBox {
  return { top: HEIGHT - TICK_HEIGHT, height: TICK_HEIGHT };
}

interface SparklineProps {
  /** `undefined` until it arrives. */
  readonly series: Series | undefined;
  readonly grid: Grid;
}

/** p95 over the range on its own scale, and where requests failed. */
export function Sparkline({ series, grid }: SparklineProps) {
  if (series === undefined) return null;
  const p95 = valuesOn(grid, series, (point) => series.percentiles["p95"]?.[point] ?? null);
  const failed = valuesOn(grid, series, (point) => series.errCount[point] ?? 0);
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path class="spark-line" d={sparkPath(p95.slice(0, -1), WIDTH, LINE_HEIGHT)} />
      <path class="spark-failed" d={sparkBoxes(failed.slice(0, -1), WIDTH, onFloor)} />
    </svg>
  );
}
