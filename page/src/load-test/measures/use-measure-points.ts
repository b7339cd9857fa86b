import { askMeasureSeries, type MeasureFacts, type MeasurePoints } from "../../api/measures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { Range } from "../scope/range.ts";

interface PointsRequest {
  /** Of the load test. */
  readonly id: string;
  readonly range: Range;
  /** Length of an interval in seconds. */
  readonly resolution: number;
  readonly series: readonly MeasureFacts[];
  readonly version: number;
}

/** Requests series over time, by their key; series of one name and endpoint share a request. */
export function useMeasurePoints(
  request: PointsRequest,
): ReadonlyMap<string, MeasurePoints> | undefined {
  const { id, range, resolution, series, version } = request;
  const parts = new Map(
    series.map(({ name, endpoint }) => {
      const part = { name, hash: endpoint?.hash };
      return [JSON.stringify(part), part];
    }),
  );
  const { value } = useAnswer(
    "measure-series",
    series.length === 0 ? "" : JSON.stringify([id, range, resolution, [...parts.keys()]]),
    async (signal) => {
      const answers = await Promise.all(
        [...parts.values()].map((part) =>
          askMeasureSeries({ id, ...range }, part, resolution, signal),
        ),
      );
      return new Map(answers.flat().map((points) => [points.key, points]));
    },
    { version },
  );
  return value;
}
