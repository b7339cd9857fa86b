import type { LoadTest } from "../api/load-tests.ts";
import type { Digest } from "../api/tests.ts";
import { gridOf, perSecond } from "../charts/grid.ts";
import { sparkArea, type SparkBox, sparkBoxes, sparkPath } from "../charts/spark-path.ts";

const [WIDTH, HEIGHT] = [200, 22];
const DOT_RADIUS = 2.5;

interface ListSparkProps {
  readonly digest: Digest;
  readonly loadTest: LoadTest;
  readonly isLive: boolean;
}

/** Requests per second over the load test and where some failed; a dot if more will arrive. */
export function ListSpark({ digest, loadTest: { from, until }, isLive }: ListSparkProps) {
  if (digest.labels.length === 0) return null;
  const grid = gridOf(from ?? 0, (until ?? 0) + 1, digest.resolution);
  const drawn = { ...grid, isGrowing: isLive };
  const requests = perSecond(drawn, digest, digest.count).slice(0, -1);
  const failed = perSecond(drawn, digest, digest.errCount).slice(0, -1);
  const scale = (HEIGHT - 1) / Math.max(...requests.map((value) => value ?? 0));
  // To scale: a single failure must not look like many.
  const hanging = (value: number, index: number): SparkBox => ({
    top: HEIGHT - (requests[index] ?? 0) * scale,
    height: Math.max(1, value * scale),
  });
  return (
    <svg
      class="spark"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="spark-area" d={sparkArea(requests, WIDTH, HEIGHT)} />
      <path class="spark-edge" d={sparkPath(requests, WIDTH, HEIGHT)} />
      <path class="spark-failed" d={sparkBoxes(failed, WIDTH, hanging)} />
      {isLive ? (
        <circle
          class="spark-end"
          cx={WIDTH - DOT_RADIUS}
          cy={Math.max(
            DOT_RADIUS,
            HEIGHT - (requests.findLast((value) => value !== null) ?? 0) * scale,
          )}
          r={DOT_RADIUS}
        />
      ) : null}
    </svg>
  );
}
