import { useRef } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import { isLive, type LoadTest } from "../api/load-tests.ts";
import { valuesOn } from "../charts/grid.ts";
import { sparkArea, type SparkBox, sparkBoxes, sparkPath } from "../charts/spark-path.ts";
import { count, duration, lasted, share, shortCount } from "../format/numbers.ts";
import { dayAndTime } from "../format/times.ts";
import { type Digest, useDigest } from "./use-digest.ts";

const FAILED_TOO_MUCH = 0.01;

/** One load test of the list. */
export function ListRow({ loadTest }: { readonly loadTest: LoadTest }) {
  const row = useRef<HTMLTableRowElement>(null);
  const digest = useDigest(loadTest, row);
  const { id, name, requests, failedRequests, tags } = loadTest;
  const { from = Date.parse(loadTest.createdAt) / 1000, until } = loadTest;
  const now = Date.now();
  const failedShare = requests === 0 ? 0 : failedRequests / requests;
  const failed = share(failedShare);
  const isFailing = failedShare > FAILED_TOO_MUCH;
  const length = until === undefined ? "–" : lasted(until - from + 1);
  const isGrowing = isLive(loadTest, now);
  return (
    <tr ref={row}>
      <td class="dot">
        {isGrowing ? <span class="live-dot" role="img" aria-label="live" /> : null}
      </td>
      <td class="name">
        <a href={linkTo({ name: "load-test", id })}>{name}</a>
      </td>
      <td class="id">{id}</td>
      <td class="tool">{digest?.tools.join(", ")}</td>
      <td class="started">{dayAndTime(from, now / 1000, "local")}</td>
      <td class="numeric lasted">{isGrowing ? `live, ${length}` : length}</td>
      <td class="numeric count" title={count(requests)}>
        {shortCount(requests)}
      </td>
      <td
        class={`numeric ${isFailing ? "failing" : ""} ${failedRequests === 0 ? "none" : ""}`}
        title={count(failedRequests)}
      >
        {isFailing ? "! " : ""}
        {failed.digits}
        <span class="unit">{failed.unit}</span>
      </td>
      <td class="numeric p95">{digest === undefined ? "" : <P95 seconds={digest.p95} />}</td>
      <td class="over-time">{digest === undefined ? null : <Spark digest={digest} />}</td>
      <td class="tags">{tags.join(", ")}</td>
    </tr>
  );
}

function P95({ seconds }: { readonly seconds: number | undefined }) {
  if (seconds === undefined) return <>–</>;
  const { digits, unit } = duration(seconds);
  return (
    <>
      {digits}
      <span class="unit">{unit}</span>
    </>
  );
}

const [WIDTH, HEIGHT] = [200, 22];

/** Requests a second over the whole load test, and where some failed. */
function Spark({ digest: { grid, series } }: { readonly digest: Digest }) {
  if (series === undefined) return null;
  const perSecond = (column: readonly number[]) =>
    valuesOn(grid, series, (point, seconds) => (column[point] ?? 0) / seconds).slice(0, -1);
  const requests = perSecond(series.count);
  const scale = (HEIGHT - 1) / Math.max(...requests.map((value) => value ?? 0));
  // True to scale: one lone failure must not look like many.
  const hanging = (value: number, index: number): SparkBox => ({
    top: HEIGHT - (requests[index] ?? 0) * scale,
    height: Math.max(1, value * scale),
  });
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path class="spark-area" d={sparkArea(requests, WIDTH, HEIGHT)} />
      <path class="spark-edge" d={sparkPath(requests, WIDTH, HEIGHT)} />
      <path class="spark-failed" d={sparkBoxes(perSecond(series.errCount), WIDTH, hanging)} />
    </svg>
  );
}
