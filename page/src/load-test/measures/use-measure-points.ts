import { askMeasureSeries, type MeasurePoints } from "../../api/measures.ts";
import { useContext } from "preact/hooks";
import { useAnswer } from "../../api/use-answer.ts";
import { type Grid, gridOf } from "../../charts/grid.ts";
import { HoldingContext } from "../scope/holding.ts";
import type { Range } from "../scope/range.ts";
import type { MeasureLine } from "./measure-groups.ts";
import { hasOnlyMinutes } from "./phases.ts";
import type { LoadTestPart } from "../part.ts";

const MINUTE = 60;

/** Windows of `resolution` seconds in a range. */
export interface Windows {
  readonly range: Range;
  readonly resolution: number;
}

/** The windows of an answer within the range that is shown. */
export function gridWithin({ from, until }: Range, { range, resolution }: Windows): Grid {
  return gridOf(from, until, resolution, range);
}

/** Series over time as they are drawn. */
export interface DrawnPoints extends MeasurePoints {
  /** What was asked for: until the next answer comes, that of the previous request is drawn. */
  readonly asked: Windows;
  /** Seconds that each point covers, if its series is coarser than the charts. */
  readonly windows?: readonly number[];
}

interface AskedLine extends MeasureLine {
  /** Length of an interval in seconds. */
  readonly resolution: number;
}

interface PointsRequest extends Pick<LoadTestPart, "range" | "version"> {
  /** Of the load test. */
  readonly id: string;
  readonly series: readonly AskedLine[];
}

/** Requests series over time, by their key; series of one name and endpoint, or of one selector, share a request. */
export function useMeasurePoints(
  request: PointsRequest,
): ReadonlyMap<string, DrawnPoints> | undefined {
  const { id, range, series, version } = request;
  const { measureSeconds } = useContext(HoldingContext);
  const parts = new Map(
    series.map((each) => {
      const { name, endpoint, selector, resolution } = each;
      const grainSeconds = Math.max(measureSeconds, hasOnlyMinutes(each) ? MINUTE : 1);
      const part = { name, hash: endpoint?.hash, selector, resolution, grainSeconds };
      return [JSON.stringify(part), part];
    }),
  );
  const { value } = useAnswer(
    "measure-series",
    series.length === 0 ? "" : JSON.stringify([id, range, [...parts.keys()]]),
    async (signal) => {
      const answers = await Promise.all(
        [...parts.values()].map((part) => askPart(request, part, signal)),
      );
      return new Map(answers.flat().map((points) => [points.key, points]));
    },
    { version },
  );
  return value;
}

interface Part extends Pick<AskedLine, "resolution"> {
  readonly name: string;
  /** Of the endpoint; `undefined`: of the entire load test. */
  readonly hash: string | undefined;
  readonly selector: string | undefined;
  /** Of its windows. */
  readonly grainSeconds: number;
}

async function askPart(
  { id, range }: PointsRequest,
  { grainSeconds, resolution, ...part }: Part,
  signal: AbortSignal,
): Promise<readonly DrawnPoints[]> {
  const { from, until } = range;
  const begin = from - (from % grainSeconds);
  const seconds = Math.ceil(resolution / grainSeconds) * grainSeconds;
  const answer = await askMeasureSeries({ id, from: begin, until }, part, seconds, signal);
  // Of a name alone, the answer has all endpoints.
  const own = answer
    .filter(({ endpoint }) => endpoint?.hash === part.hash)
    .map((points) => {
      const [value = ""] = Object.values(points.tags);
      const key = part.selector === undefined ? points.key : `${part.selector} ${value}`;
      return { ...points, key, asked: { range, resolution } };
    });
  if (grainSeconds === 1) return own;
  return own.map((points) => ({ ...points, windows: points.labels.map(() => seconds) }));
}
