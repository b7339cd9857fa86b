import {
  MEASURE_TAGS_MAX,
  type MeasureKind,
  type MeasureWindow,
} from "../../model/measures/measure-table.ts";
import type { SampleSink } from "../decoder.ts";
import { type CumulativeSeries, type Increase, TOTALS_MAX } from "./cumulative.ts";
import {
  type DurationWindows,
  type HistogramDescription,
  descriptionOf,
  entriesOf,
  isLoadTool,
} from "./duration-windows.ts";
import {
  BUCKETS_MAX,
  RECORD_ELEMENTS_MAX,
  type HistogramData,
  type MetricPoint,
  type PointFault,
} from "./metric-points.ts";

const NANOS_PER_MILLI = 1_000_000n;

/** Of measures: the middle of a bucket is within 4.4 % of its values. Native histograms of Prometheus' clients have this scale. */
const SCALE_MIN = 3;

/** Text for remarks. */
const POINT_LIMITS = `1 MiB, ${BUCKETS_MAX.toLocaleString("en-US")} buckets or ${RECORD_ELEMENTS_MAX.toLocaleString("en-US")} values`;

/** Services of one body whose requests are stored: each is a source. */
export const SERVICES_MAX = 500;

export interface MetricMeasuresOptions {
  readonly sink: Pick<SampleSink, "measures">;
  readonly series: CumulativeSeries;
  /** The source that stores histograms of requests, or all other points. */
  readonly sourceOf?: (description: HistogramDescription | undefined, service: string) => string;
  /** Takes histograms of a service's requests, or says why they are not stored. @default they are measures */
  readonly windowsOf?:
    | ((
        description: HistogramDescription,
        service: string,
      ) => DurationWindows | "described" | "too-many")
    | undefined;
}

/** Records points of metrics as measures, and histograms of requests as windows. */
export class MetricMeasures {
  /** Points of histograms whose requests are described better elsewhere. */
  #described = 0;
  /** First totals, of which it is not known what came before. */
  #first = 0;
  /** Totals that are not remembered. */
  #overflowing = 0;
  /** Increases of histograms whose buckets are not known of what came before. */
  #withoutBuckets = 0;
  readonly #faults: Record<PointFault, number> = {
    "unknown-temporality": 0,
    "too-long": 0,
    fractions: 0,
    untimed: 0,
  };
  #tooMany = 0;
  readonly #options: MetricMeasuresOptions;

  constructor(options: MetricMeasuresOptions) {
    this.#options = options;
  }

  take(given: MetricPoint | PointFault): void {
    const point = typeof given === "object" && given.timeNanos <= 0n ? "untimed" : given;
    if (typeof point === "string") {
      this.#faults[point] += 1;
      return;
    }
    const { data } = point;
    this.#options.series.noteTime(point.timeNanos);
    if (data.kind === "gauge") this.#add(point, "gauge", data.value);
    else if (data.kind === "sum") this.#takeSum(point, data.value, data.isMonotonic);
    else if (data.kind === "histogram") this.#takeHistogram(point, data);
    else {
      const { count, sum } = data;
      const increase = this.#increaseOf(point, { count, sum, buckets: undefined });
      if (increase !== undefined) this.#addWindow(point, increase);
    }
  }

  get refused(): number {
    return Object.values(this.#faults).reduce(
      (sum, count) => sum + count,
      this.#tooMany + this.#overflowing,
    );
  }

  /** What is not shown as it was sent. */
  remarks(): string[] {
    const counts = [
      ["points of histograms whose requests are known from better data", this.#described],
      ["first totals of series, from which increases are counted", this.#first],
      [
        `totals of series beyond ${TOTALS_MAX.toLocaleString("en-US")}, whose increases are not stored`,
        this.#overflowing,
      ],
      [
        "increases of histograms without percentiles, of whose totals before no fitting buckets are kept",
        this.#withoutBuckets,
      ],
      [
        "points without an aggregation temporality, which are not stored",
        this.#faults["unknown-temporality"],
      ],
      [`points of over ${POINT_LIMITS}, which are not stored`, this.#faults["too-long"]],
      ["points without a time since 1970, which are not stored", this.#faults.untimed],
      ["histograms that count fractions of values, which are not stored", this.#faults.fractions],
      [
        `histograms of more than ${SERVICES_MAX} services in one body, which are not stored (send smaller bodies)`,
        this.#tooMany,
      ],
    ] as const;
    return counts.flatMap(([what, count]) => (count === 0 ? [] : [`${what}: ${count}`]));
  }

  #takeSum(point: MetricPoint, value: number, isMonotonic: boolean): void {
    // What can fall, such as memory in use, is a state.
    if (point.isCumulative && !isMonotonic) return this.#add(point, "gauge", value);
    const increase = this.#increaseOf(point, { count: 0, sum: value, buckets: undefined });
    if (increase?.sum === undefined) return;
    const rate = rateOf(point);
    if (rate === undefined) return this.#add(point, "counter", increase.sum);
    if (increase.sum === 0) return;
    const window = { count: increase.sum, sum: rate.isTrue ? increase.sum : 0 };
    this.#options.sink.measures.addWindow(
      this.#seriesOf({ ...point, ...rate }, "rate"),
      millisOf(point),
      window,
    );
  }

  #takeHistogram(point: MetricPoint, { count, sum, min, max, buckets }: HistogramData): void {
    const { windowsOf } = this.#options;
    const description = windowsOf && descriptionOf(point);
    const increase = this.#increaseOf(point, { count, sum, buckets }, description);
    if (increase === undefined) return;
    if (buckets !== undefined && increase.buckets === undefined) this.#withoutBuckets += 1;
    // The extremes of a total say nothing about its increase.
    const extremes = increase.sinceNanos === point.startNanos ? { min, max } : {};
    const whole = { ...increase, ...extremes };
    if (description === undefined) return this.#addWindow(point, whole);
    const windows = windowsOf?.(description, point.origin.service);
    if (windows === "described") this.#described += 1;
    else if (windows === "too-many") this.#tooMany += 1;
    else windows?.take(point, whole);
  }

  #increaseOf(
    point: MetricPoint,
    totals: Pick<Increase, "count" | "sum" | "buckets">,
    description?: HistogramDescription,
  ): Increase | undefined {
    if (!point.isCumulative) return { ...totals, sinceNanos: point.startNanos };
    const { service, scope } = point.origin;
    const { series, sourceOf } = this.#options;
    const isOfTool = isLoadTool(service, scope);
    const increase = series.advance(point, totals, isOfTool, sourceOf?.(description, service));
    if (increase === "first") this.#first += 1;
    else if (increase === "full") this.#overflowing += 1;
    return typeof increase === "string" ? undefined : increase;
  }

  #add(point: MetricPoint, kind: MeasureKind, value: number): void {
    if (kind === "gauge") this.#options.series.noteExport(point);
    this.#options.sink.measures.add(this.#seriesOf(point, kind), millisOf(point), value);
  }

  #addWindow(
    point: MetricPoint,
    { count, sum, buckets, min, max }: Increase & Pick<MeasureWindow, "min" | "max">,
  ): void {
    if (count === 0) return;
    const window = {
      count,
      sum: sum ?? Number.NaN,
      min,
      max,
      entries: entriesOf(buckets, count, SCALE_MIN),
    };
    this.#options.sink.measures.addWindow(
      this.#seriesOf(point, "distribution"),
      millisOf(point),
      window,
    );
  }

  #seriesOf({ name, unit, tags, origin }: MetricPoint, kind: MeasureKind): number {
    const isReadable = tags !== undefined && tags.length <= MEASURE_TAGS_MAX;
    const own = isReadable ? tags : [UNREADABLE, UNREADABLE];
    const names = new Set(own.map(([tag]) => tag));
    const all = [...own, ...origin.tags.filter(([tag]) => !names.has(tag))];
    return this.#options.sink.measures.seriesOf({ label: undefined, name, unit, kind, tags: all });
  }
}

/** How k6 sends a rate: a counter of the samples that are zero, and one of the others. `undefined`: it is none. */
function rateOf({ name, tags, origin }: MetricPoint) {
  const condition = tags?.find(([tag]) => tag === "condition")?.[1];
  const isRate = name.endsWith(RATE) && (condition === "zero" || condition === "nonzero");
  if (!isRate || !isLoadTool(origin.service, origin.scope)) return undefined;
  return {
    name: name.slice(0, -RATE.length),
    tags: tags?.filter(([tag]) => tag !== "condition"),
    isTrue: condition === "nonzero",
  };
}

const RATE = ".total";

/** Tags that repeat cannot be stored, and are counted. */
const UNREADABLE = ["", ""] as const;

function millisOf({ timeNanos }: MetricPoint): number {
  return Number(timeNanos / NANOS_PER_MILLI);
}
