import type { MeasureSeriesJson } from "../../api/measures.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import type { SecondRange } from "../../model/second-range.ts";
import type { LoadTestReader, SeriesOfWindows } from "../load-test-reader.ts";
import { measureKey } from "../trend/measure-runs.ts";
import { scaleOf, selectorOf } from "./check-measures.ts";
import { judgeWindows } from "./check-windows.ts";
import type { Judged, Limit, LimitedFigure } from "./limit.ts";

type Series = MeasureSeriesJson["series"][number];

/** Most seconds of a run in which windows of measures are judged: five days. */
const SECONDS_MAX = 500_000;

const MINUTE = 60;

/** Judges limits on measures over windows. Throws what `LoadTestReader.measureSeries` throws. */
export async function judgeMeasureWindows(
  reader: Pick<LoadTestReader, "measureSeries">,
  { loadTestId, span }: { readonly loadTestId: string; readonly span: SecondRange | undefined },
  limits: readonly Limit[],
): Promise<ReadonlyMap<Limit, Judged>> {
  const judged = new Map<Limit, Judged>();
  const own = limits.filter(({ window }) => window !== undefined);
  for (const alike of Map.groupBy(own, selectorOf).values()) {
    const isShort = span !== undefined && span.until - span.from <= SECONDS_MAX;
    const query = { loadTestId, range: span, selector: alike[0]?.selector };
    const { series } = isShort ? await reader.measureSeries(query) : { series: [] };
    for (const limit of alike) {
      const found = series.find(
        (each) => limit.series === undefined || limit.series === measureKey(each),
      );
      judged.set(
        limit,
        isShort ? await judge(limit, found, span) : { limit, outcome: "notEvaluated" },
      );
    }
  }
  return judged;
}

async function judge(limit: Limit, series: Series | undefined, span: SecondRange): Promise<Judged> {
  if (series === undefined) return { limit, outcome: "unmeasured" };
  const scale = scaleOf(limit.unit, limit.figure, series);
  if (scale === undefined || isStoredByMinute(series)) return { limit, outcome: "notEvaluated" };
  return judgeWindows(limit, { series: await windowsOf(series, limit, { span, scale }), span });
}

/** As measures of endpoints are. */
function isStoredByMinute({ endpoint, seconds }: Series): boolean {
  return endpoint !== undefined && seconds.every((second) => second % MINUTE === 0);
}

interface Scaled {
  readonly span: SecondRange;
  /** To the unit of the limit. */
  readonly scale: number;
}

/** The windows that hold a value, with the statistic of the limit; their requests are values. */
async function windowsOf(
  series: Series,
  { figure, window }: Limit,
  { span, scale }: Scaled,
): Promise<SeriesOfWindows> {
  const { seconds, count, sum, mean } = series;
  const length = window?.seconds ?? 1;
  const yielder = new Yielder();
  const found = { labels: [] as number[], count: [] as number[], values: [] as number[] };
  const held = { from: 0, until: 0, count: 0, sum: 0, means: 0 };
  const add = (at: number, sign: 1 | -1): void => {
    held.count += sign * (count[at] ?? 0);
    held.sum += sign * (sum[at] ?? 0);
    held.means += sign * (mean[at] ?? 0);
  };
  for (let begin = span.from; begin + length <= span.until; begin++) {
    if (yielder.isDue()) await yielder.next();
    for (; (seconds[held.until] ?? Infinity) < begin + length; held.until++) add(held.until, 1);
    for (; held.from < held.until && (seconds[held.from] ?? 0) < begin; held.from++)
      add(held.from, -1);
    if (held.from === held.until) {
      // What differences of fractions have left.
      Object.assign(held, { count: 0, sum: 0, means: 0 });
      continue;
    }
    found.labels.push(begin);
    found.count.push(held.count);
    found.values.push(scale * valueOf(figure, series, { ...held, length }));
  }
  return {
    labels: found.labels,
    count: found.count,
    errCount: [],
    avgLoadTime: found.values,
    percentiles: { [figure]: found.values },
    percentileOrigin: "reported",
  };
}

interface Held {
  /** Indexes. */
  readonly from: number;
  readonly until: number;
  readonly count: number;
  readonly sum: number;
  /** Sum of the averages of each second. */
  readonly means: number;
  readonly length: number;
}

function valueOf(figure: LimitedFigure, { kind, last, mean }: Series, held: Held): number {
  if (figure === "count") return held.count;
  if (figure === "sum") return held.sum;
  const lastOne = Array.isArray(last) ? last : mean;
  if (figure === "last") return lastOne[held.until - 1] ?? Number.NaN;
  if (figure === "rate" && kind !== "rate") return held.sum / held.length;
  return kind === "gauge" ? held.means / (held.until - held.from) : held.sum / held.count;
}
