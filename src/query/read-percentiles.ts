import type { QualityRemark } from "../api/parts.ts";
import type { Figures, PercentileOrigin } from "../api/summary.ts";
import { paced } from "../concurrency/yielder.ts";
import { ALL_SECONDS, sumOf, timedRequestsOf, withoutSecondZero } from "../model/columns.ts";
import type { SeriesColumns } from "../model/data-points.ts";
import { doHoldMilliseconds, exactTimesOf, rankOf, valueIn } from "../model/histogram.ts";
import { mergeSeries } from "../model/merge-points.ts";
import type { Outcome } from "../model/outcomes.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import {
  type EndpointSelection,
  type SelectedPart,
  hashOfLabel,
} from "../series/endpoint-selection.ts";
import { mergeAllSeries } from "../series/merge-all-series.ts";
import { type Snapshots, openSnapshot, withSnapshot } from "../series/open-snapshot.ts";
import { overallNumbers, selectNumbers, selectedDistributions } from "../series/selected-series.ts";
import { spanOfRun } from "../series/overall.ts";
import { type SeriesValues, slidingWindows } from "../series/sliding-windows.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { inWindows, windowOf } from "./coarse-points.ts";
import { figuresOf } from "./figures.ts";
import { openOverall } from "./read-overall.ts";
import {
  type SourceFacts,
  readSourceFacts,
  remarksOn,
  reportedOf,
  reportedWindows,
  withMeasured,
} from "./source-facts.ts";

export interface PercentilesQuery extends SelectedPart {
  /** Seconds per point, at least 1; points begin at multiples of it. */
  readonly resolutionSeconds: number;
  /** Points are the windows of this length that begin at each second, within `range`. Needs a resolution of one second. @default none */
  readonly windowSeconds?: number | undefined;
  /** Each 0 to 1. */
  readonly quantiles: readonly number[];
  /** Whether all endpoints are merged into one series (`overall.ts`). */
  readonly isMerged: boolean;
  /** Whether the merged series includes the band of its endpoints. @default false */
  readonly isBanded?: boolean;
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
}

export interface PercentilesAnswer {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  /** Yields one series per endpoint, by label, or one of all. Call at most once. */
  series(): AsyncIterable<PercentileSeries>;
  /** Releases the snapshot. Must be called once. */
  release(): void;
}

export interface PercentileSeries extends SeriesValues {
  /** Like `Figures.percentileOrigin`: `reported` if the load tool reports at least one value. */
  readonly origin: PercentileOrigin;
  /** Whether any source records response sizes; otherwise `sums.receivedBytes` are unknown. */
  readonly hasSizes: boolean;
  readonly quality: readonly QualityRemark[];
  /** `undefined` for the merged series. */
  readonly endpoint: { readonly label: string; readonly hash: string } | undefined;
  /** If requested. */
  readonly band?: Band;
}

/** Opens percentiles over time. Throws `unknown-load-test`. */
export async function openPercentiles(
  points: Snapshots,
  query: PercentilesQuery,
): Promise<PercentilesAnswer> {
  const snapshot = await openSnapshot(points, query.loadTestId, query);
  return {
    revision: snapshot.revision,
    series: () => (query.isMerged ? mergedSeries(snapshot, query) : seriesByLabel(snapshot, query)),
    release: () => snapshot.release(),
  };
}

async function* seriesByLabel(
  snapshot: Snapshot,
  query: PercentilesQuery,
): AsyncGenerator<PercentileSeries> {
  const facts = await readSourceFacts(snapshot);
  const windowed = await withinRun(snapshot, query);
  for await (const { label, number, columns } of paced(columnsByLabel(snapshot, query))) {
    const sizes = new Sizes();
    const values = await valuesOf(inPoints(sizes.exactIn(columns), query), windowed);
    const filled = fillReported(values, facts, { ...query, endpoint: number });
    yield {
      endpoint: { label, hash: hashOfLabel(label) },
      ...filled,
      hasSizes: filled.hasSizes && sizes.areExact,
    };
  }
}

async function* mergedSeries(
  snapshot: Snapshot,
  query: PercentilesQuery,
): AsyncGenerator<PercentileSeries> {
  const { quantiles, isBanded = false } = query;
  const band = isBanded ? createBand(quantiles.length) : undefined;
  const sizes = new Sizes();
  const parts =
    band === undefined ? overallChunks(snapshot, query) : columnsByLabel(snapshot, query);
  const chunks = inEqualWindows(parts, sizes, query);
  const merged = await mergeAllSeries(
    band === undefined ? chunks : addedTo(band, chunks, quantiles),
  );
  const facts = await readSourceFacts(snapshot);
  const endpoint = facts.reported && (await reportedEndpoint(snapshot, query.selection, facts));
  const values = await valuesOf(merged, await withinRun(snapshot, query));
  const filled = fillReported(values, facts, { ...query, endpoint });
  yield {
    endpoint: undefined,
    ...filled,
    hasSizes: filled.hasSizes && sizes.areExact,
    ...(band === undefined ? {} : { band: band.compact(merged.second) }),
  };
}

/** Windows are those of the run, also where an endpoint has requests in only a part of it. */
async function withinRun(snapshot: Snapshot, query: PercentilesQuery): Promise<PercentilesQuery> {
  if (query.windowSeconds === undefined || query.range !== undefined) return query;
  const range = await spanOfRun(snapshot);
  return range === undefined ? query : { ...query, range };
}

/** Source of the merged series' reported values. */
async function reportedEndpoint(
  snapshot: Snapshot,
  selection: EndpointSelection,
  facts: SourceFacts,
): Promise<number | "all" | undefined> {
  const index = await snapshot.index();
  const numbers = overallNumbers(index, await selectNumbers(index, selection), selection);
  return reportedOf(facts, selection, numbers);
}

async function* overallChunks(
  snapshot: Snapshot,
  { selection, range }: PercentilesQuery,
): AsyncGenerator<{ readonly columns: SeriesColumns }> {
  const overall = await openOverall(snapshot, selection);
  yield* overall.distributions(withoutSecondZero(range ?? ALL_SECONDS));
}

function inPoints(columns: SeriesColumns, { resolutionSeconds }: PercentilesQuery): SeriesColumns {
  return inWindows(columns, resolutionSeconds, mergeSeries);
}

async function* inEqualWindows(
  parts: AsyncIterable<{ readonly columns: SeriesColumns }>,
  sizes: Sizes,
  query: PercentilesQuery,
): AsyncGenerator<{ readonly columns: SeriesColumns }> {
  for await (const { columns } of parts) {
    yield { columns: inPoints(sizes.exactIn(columns), query) };
  }
}

/** Response sizes of a series: too large to be exact in total, they are unknown, and hide no other figure. */
class Sizes {
  #bytes = 0;

  get areExact(): boolean {
    return this.#bytes <= Number.MAX_SAFE_INTEGER;
  }

  /** Returns a part of the series, without sizes from where they are too large on. */
  exactIn(columns: SeriesColumns): SeriesColumns {
    this.#bytes += sumOf(columns.receivedBytes);
    if (this.areExact) return columns;
    const none = new Float64Array(columns.second.length);
    return { ...columns, receivedBytes: none, failedReceivedBytes: none };
  }
}

async function* addedTo<Part extends { readonly columns: SeriesColumns }>(
  band: ReturnType<typeof createBand>,
  parts: AsyncIterable<Part>,
  quantiles: readonly number[],
): AsyncGenerator<Part> {
  for await (const part of parts) {
    band.add(quantilesOf(part.columns, quantiles));
    yield part;
  }
}

async function* columnsByLabel(
  snapshot: Snapshot,
  query: PercentilesQuery,
): AsyncGenerator<{
  readonly label: string;
  readonly number: number;
  readonly columns: SeriesColumns;
}> {
  const range = withoutSecondZero(query.range ?? ALL_SECONDS);
  const { selection, isMerged } = query;
  const wanted = { selection, range, which: isMerged ? "overall" : "all" } as const;
  for await (const { endpoint, columns } of selectedDistributions(snapshot, wanted)) {
    const { label, number } = endpoint;
    yield { label, number, columns };
  }
}

interface ReportedQuery extends Pick<
  PercentilesQuery,
  "quantiles" | "resolutionSeconds" | "windowSeconds"
> {
  /** Source of reported values, by number; `undefined`: none. */
  readonly endpoint: number | "all" | undefined;
}

/** Replaces unknown values by what the load tool reported for windows. */
function fillReported(
  values: SeriesValues,
  facts: SourceFacts,
  { endpoint, quantiles, resolutionSeconds, windowSeconds: wanted }: ReportedQuery,
): DescribedValues {
  const isKnown = values.quantileMicros.some((column) =>
    column.some((each) => !Number.isNaN(each)),
  );
  const origin = isKnown ? "computed" : "unknown";
  if (facts.reported === undefined || endpoint === undefined)
    return described(values, origin, facts);
  let isAnyReported = false;
  const quantileMicros = quantiles.map((quantile, index) => {
    const known = values.quantileMicros[index] ?? new Float64Array(values.second.length);
    const windows = new Map<number, { readonly second: number; readonly micros: number }>();
    for (const { second, windowSeconds, micros } of reportedWindows(facts, endpoint, quantile)) {
      // A point longer than a window would have to merge several.
      const isShort = windowSeconds < resolutionSeconds;
      if (isShort || windowSeconds !== (wanted ?? windowSeconds)) continue;
      const at = windowOf(second, resolutionSeconds);
      const before = windows.get(at) ?? { second, micros };
      // And so would one in which one follows another. Windows that overlap by half are of nearly the same requests.
      const isAlone = !Number.isNaN(before.micros) && second - before.second < windowSeconds / 2;
      windows.set(at, { second, micros: isAlone ? micros : Number.NaN });
    }
    return known.map((value, point) => {
      const reported = windows.get(values.second[point] as number)?.micros ?? Number.NaN;
      if (!Number.isNaN(value) || Number.isNaN(reported)) return value;
      isAnyReported = true;
      return reported;
    });
  });
  return described({ ...values, quantileMicros }, isAnyReported ? "reported" : origin, facts);
}

type DescribedValues = SeriesValues & Pick<PercentileSeries, "origin" | "hasSizes" | "quality">;

function described(
  values: SeriesValues,
  origin: PercentileOrigin,
  { hasSizes, remarks }: SourceFacts,
): DescribedValues {
  const count = sumOf(values.sums.requests);
  const untimedCount = sumOf(values.sums.untimedRequests);
  const concern = origin === "reported" ? "reported" : "unmerged";
  const about = remarksOn(remarks, ["times", concern, "windows", "sizes"]);
  const quality = withMeasured(about, { count, untimedCount, percentileOrigin: origin });
  return { ...values, origin, hasSizes, quality };
}

async function valuesOf(columns: SeriesColumns, query: PercentilesQuery): Promise<SeriesValues> {
  const { windowSeconds: seconds, quantiles, range } = query;
  if (seconds === undefined) return quantilesOf(columns, quantiles);
  return slidingWindows(columns, {
    seconds,
    quantiles,
    range: withoutSecondZero(range ?? ALL_SECONDS),
  });
}

function quantilesOf(columns: SeriesColumns, quantiles: readonly number[]): SeriesValues {
  const { second } = columns;
  const quantileMicros = quantiles.map((q) =>
    Float64Array.from(second, (_, point) => quantileOfPoint(columns, point, q)),
  );
  return { second, quantileMicros, sums: columns };
}

/** See `DistributionSum.quantiles`. */
function quantileOfPoint(columns: SeriesColumns, point: number, q: number): number {
  const total = columns.requests[point] as number;
  const timed = total - (columns.untimedRequests?.[point] ?? 0);
  const minMicros = columns.minMicros[point] as number;
  const maxMicros = columns.maxMicros[point] as number;
  const rank = rankOf(q, total);
  const first = columns.bucketsFrom[point] as number;
  const end = columns.bucketsFrom[point + 1] as number;
  let [seen, entry] = [0, first];
  for (; entry < end; entry++) seen += columns.bucketCount[entry] as number;
  if (rank > timed || seen !== timed) return Number.NaN;
  if (rank === 1) return minMicros;
  if (rank >= timed) return maxMicros;
  const sums = [
    columns.elapsedMicros[point] as number,
    columns.failedElapsedMicros[point] as number,
  ];
  const times = exactTimesOf({ minMicros, maxMicros }, sums, () =>
    doHoldMilliseconds(columns.bucket, first, end),
  );
  [seen, entry] = [0, first];
  for (;;) {
    seen += columns.bucketCount[entry] as number;
    if (seen >= rank) return valueIn(columns.bucket[entry] as number, times);
    entry += 1;
  }
}

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

function finiteOrNaN(value = Number.NaN): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Collects a band for this many quantiles. */
function createBand(quantiles: number) {
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

export interface DistributionQuery extends SelectedPart {
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
}

/** Overall distribution of the selection (`overall.ts`). */
export interface Distribution {
  readonly figures: Figures;
  readonly quality: readonly QualityRemark[];
  /** Observed response times, ascending; each represents those within 0.1 %. */
  readonly micros: readonly number[];
  /** Number of requests of each, in total those with an own response time. */
  readonly requests: readonly number[];
}

/** Reads the distribution. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readDistribution(
  points: Snapshots,
  query: DistributionQuery,
): Promise<Distribution> {
  return withSnapshot(points, query, async (snapshot) => {
    const overall = await openOverall(snapshot, query.selection);
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const sum = new DistributionSum();
    for await (const { columns } of paced(overall.distributions(range))) sum.add(columns);
    const facts = await readSourceFacts(snapshot);
    const figures = figuresOf(sum, { hasSizes: facts.hasSizes });
    return { figures, quality: withMeasured(facts.remarks, figures), ...sum.valueCounts() };
  });
}
