import { openApiReader, parametersOf } from "../../analysis/api-reader.ts";
import type { Figures } from "../../api/summary.ts";
import type { PercentilesItem } from "../../api/response-times.ts";
import type { SecondRange } from "../../model/columns.ts";
import { remarksOn } from "../../query/source-facts.ts";
import {
  limit,
  LOAD_TEST,
  PART,
  RAMPS,
  rangeOf,
  SELECTION,
  selectionOf,
  shortened,
  text,
  whole,
} from "../part.ts";
import { toolOf } from "../tool.ts";
import { requireMeasureSelector } from "../../model/measures/measure-selector.ts";
import { type Trend, TREND_FIGURES } from "../../api/trend.ts";

const POINTS_MIN = 2;
const POINTS_MAX = 120;

const PERCENTILES = ["p50", "p95", "p99"] as const;
const COLUMNS = ["from", "count", "errCount", "avgLoadTime", ...PERCENTILES] as const;

/** Window widths in seconds; one day if none fits. */
const WIDTHS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];
const DAY_SECONDS = 86_400;

export const readSeries = toolOf({
  name: "read_series",
  title: "Read a series",
  description:
    "A load test, or the selected endpoints together, over time: for each window of " +
    "`windowSeconds`, its first UNIX second, requests, failed requests, average and percentiles " +
    "of response times in seconds. Windows without requests are omitted. Request a shorter range " +
    "for finer windows. `quality` lists limitations of the values.",
  input: {
    id: LOAD_TEST,
    ...PART,
    points: whole(POINTS_MIN, POINTS_MAX, "maximum number of windows").default(30),
  },
  async answer({ id, points, ...part }, open) {
    await using api = await open();
    const reader = openApiReader(api);
    const everything = { loadTestId: id, selection: selectionOf(part), apdexMicros: undefined };
    const asked = { ...everything, range: rangeOf(part) };
    const summary = await reader.summarise(asked);
    const quality = remarksOn(summary.quality, ["times", "windows"]);
    const span = spanOf(summary.overall);
    if (span === undefined) return { windowSeconds: null, columns: COLUMNS, rows: [], quality };
    const read = async (width: number): Promise<PercentilesItem | undefined> => {
      const resolved = { resolution: width, merge: "true", percent: "50,95,99" } as const;
      return (await api.ask("getPercentiles", { ...parametersOf(asked), ...resolved }))[0];
    };
    let windowSeconds = widthFor(span, points, 1);
    let series = await read(windowSeconds);
    if (series?.windows !== undefined) {
      windowSeconds = widthFor(span, points, Math.max(...series.windows));
      series = await read(windowSeconds);
    }
    const rows = series?.labels.map((second, at) => [
      Math.max(second, span.from),
      ...[series.count, series.errCount, series.avgLoadTime].map((column) => column[at] ?? null),
      ...PERCENTILES.map((name) => series.percentiles[name]?.[at] ?? null),
    ]);
    return { windowSeconds, columns: COLUMNS, rows: rows ?? [], quality };
  },
});

/** From the first to the last second with a request. */
function spanOf({ from, until }: Figures): SecondRange | undefined {
  return from === undefined || until === undefined ? undefined : { from, until: until + 1 };
}

/** The narrowest width with at most `points` windows, each of whole points of `recordedSeconds`. */
function widthFor(span: SecondRange, points: number, recordedSeconds: number): number {
  const fits = (width: number): boolean =>
    width % recordedSeconds === 0 && windowsBetween(span, width) <= points;
  const unit = DAY_SECONDS % recordedSeconds === 0 ? DAY_SECONDS : recordedSeconds;
  const units = Math.ceil((span.until - span.from) / unit / (points - 1));
  return WIDTHS.find(fits) ?? units * unit;
}

function windowsBetween({ from, until }: SecondRange, width: number): number {
  return Math.ceil(until / width) - Math.floor(from / width);
}

export const readTrend = toolOf({
  name: "read_trend",
  title: "Read how load tests changed over time",
  description:
    "The load tests with one name or tag as a series, latest last: requests, error rate, average " +
    "and percentiles in seconds of each, over all selected endpoints together; and the load " +
    "tests at which these or one endpoint changed by more than noise explains, latest first, each " +
    "with its changes. " +
    "`change` is relative (0.1: 10 % more); for error rates it is a difference. `quality` lists " +
    "limitations by load test; load tests without any are not in it. `measures` are those of `measure`, in the same order.",
  input: {
    name: text("exact name of the load tests"),
    measure: text("measures to read, too, such as `cpu.usage_user{host=db} by host`"),
    tag: text("an exact tag of the load tests"),
    last: whole(1, 200, "maximum number of load tests; the latest are used").default(50),
    since: text(
      "id of the load test at which the series starts; default: the baseline of the name",
    ),
    ...SELECTION,
    ...RAMPS,
    limit: limit(30, 200),
  },
  async answer({ limit: max, filter, label, where, by, measure, ...series }, open) {
    await using api = await open();
    const selection = selectionOf({ filter, label, where, by });
    const selector = measure === undefined ? undefined : requireMeasureSelector(measure, "measure");
    const trend = await openApiReader(api).trend({ ...series, selection, selector });
    const { shown, notShown } = shortened(trend.changes, max);
    const groups = [...Map.groupBy(shown, ({ loadTestId }) => loadTestId)];
    return {
      changes: groups.map(([loadTestId, own]) => ({
        loadTestId,
        changes: own.map(({ loadTestId: _id, hash: _hash, ...change }) => change),
      })),
      changesNotShown: notShown,
      ...tableOf(trend),
      ...(trend.measures && {
        measures: trend.measures.slice(0, max),
        measuresNotShown: Math.max(0, trend.measures.length - max),
      }),
      ...(trend.since === undefined ? {} : { since: trend.since }),
      leftOut: trend.leftOut,
      quality: trend.loadTests
        .filter(({ quality }) => quality.length > 0)
        .map(({ id, quality }) => ({ id, quality })),
    };
  },
});

function tableOf({ loadTests, overall }: Trend): object {
  const rows = loadTests.map(({ id, startedAt }, at) => [
    id,
    startedAt,
    ...TREND_FIGURES.map((figure) => overall[figure][at] ?? null),
  ]);
  return { columns: ["id", "startedAt", ...TREND_FIGURES], rows };
}
