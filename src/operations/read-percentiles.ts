import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { rankOf, valueIn } from "../model/histogram.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import type { Snapshot } from "../store/store.ts";
import { type Band, type BandBuilder, createBand } from "./band.ts";
import { type EndpointSelection, hashOfLabel } from "./endpoint-selection.ts";
import { selectedDistributions } from "./many-selected.ts";
import { mergeAllSeries } from "./merge-all-series.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";
import { openWhole } from "./read-whole.ts";
import { TimeSlice } from "./time-slice.ts";
import { inWindows } from "./windows.ts";

export interface PercentilesQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything with a known instant. */
  readonly range: SecondRange | undefined;
  /** Seconds merged into one point; points begin at multiples of it. 1 or more. */
  readonly resolutionSeconds: number;
  /** Each 0 to 1. */
  readonly quantiles: readonly number[];
  /** Whether all endpoints are merged into one series, of a whole (`whole.ts`). */
  readonly isMerged: boolean;
  /** Whether the merged series comes with the band that the endpoints span. @default false */
  readonly isBanded?: boolean;
}

export interface PercentilesAnswer {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  /** One series for each endpoint, by label, or one of all of them; to be called at most once. */
  series(): AsyncIterable<PercentileSeries>;
  /** Lets go of the snapshot. To be called always; a second call does nothing. */
  release(): void;
}

export interface PercentileSeries {
  /** `undefined` for the series of all endpoints. */
  readonly endpoint: { readonly label: string; readonly hash: string } | undefined;
  /** UNIX seconds at which points begin, ascending. */
  readonly second: Uint32Array;
  /** For each quantile asked for its values in microseconds, one for each point. */
  readonly quantileMicros: readonly Float64Array[];
  /** What the points hold besides. */
  readonly sums: SumColumns;
  /** Where it was asked for. */
  readonly band?: Band;
}

/** Opens percentiles over time. Throws `unknown-load-test`. */
export async function openPercentiles(
  points: Snapshots,
  query: PercentilesQuery,
): Promise<PercentilesAnswer> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  let released = false;
  return {
    revision: snapshot.revision,
    series: () => (query.isMerged ? mergedSeries(snapshot, query) : seriesByLabel(snapshot, query)),
    release() {
      if (!released) snapshot.release();
      released = true;
    },
  };
}

type Columns = SumColumns & DistributionColumns;

async function* seriesByLabel(
  snapshot: Snapshot,
  query: PercentilesQuery,
): AsyncGenerator<PercentileSeries> {
  const slice = new TimeSlice();
  for await (const { label, columns } of columnsByLabel(snapshot, query, slice)) {
    yield {
      endpoint: { label, hash: hashOfLabel(label) },
      ...quantilesOf(columns, query.quantiles),
    };
    if (slice.isOver()) await slice.next();
  }
}

async function* mergedSeries(
  snapshot: Snapshot,
  query: PercentilesQuery,
): AsyncGenerator<PercentileSeries> {
  const slice = new TimeSlice();
  const { quantiles, isBanded = false } = query;
  const band = isBanded ? createBand(quantiles.length) : undefined;
  const merged = await mergeAllSeries(
    band === undefined
      ? partsOfWhole(snapshot, query, slice)
      : addedTo(band, columnsByLabel(snapshot, query, slice), quantiles),
    slice,
  );
  yield {
    endpoint: undefined,
    ...quantilesOf(merged, quantiles),
    ...(band === undefined ? {} : { band: band.seal(merged.second) }),
  };
}

async function* partsOfWhole(
  snapshot: Snapshot,
  { selection, range, resolutionSeconds }: PercentilesQuery,
  slice: TimeSlice,
): AsyncGenerator<{ readonly columns: Columns }> {
  const whole = await openWhole(snapshot, selection, slice);
  for await (const { columns } of whole.distributions(withoutSecondZero(range ?? ALL_SECONDS))) {
    yield { columns: inWindows(columns, resolutionSeconds) };
  }
}

async function* addedTo<Part extends { readonly columns: Columns }>(
  band: BandBuilder,
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
  slice: TimeSlice,
): AsyncGenerator<{ readonly label: string; readonly columns: Columns }> {
  const range = withoutSecondZero(query.range ?? ALL_SECONDS);
  const { selection, resolutionSeconds, isMerged } = query;
  const wanted = { selection, range, which: isMerged ? "whole" : "all" } as const;
  for await (const { endpoint, columns } of selectedDistributions(snapshot, wanted, slice)) {
    yield { label: endpoint.label, columns: inWindows(columns, resolutionSeconds) };
  }
}

function quantilesOf(
  columns: Columns,
  quantiles: readonly number[],
): Pick<PercentileSeries, "second" | "quantileMicros" | "sums"> {
  const { second } = columns;
  const quantileMicros = quantiles.map((q) =>
    Float64Array.from(second, (_, point) => quantileOfPoint(columns, point, q)),
  );
  return { second, quantileMicros, sums: columns };
}

/** See `quantileMicros` of the histogram. */
function quantileOfPoint(columns: Columns, point: number, q: number): number {
  const total = columns.requests[point] as number;
  const [min, max] = [columns.minMicros[point] as number, columns.maxMicros[point] as number];
  const rank = rankOf(q, total);
  if (rank === 1) return min;
  if (rank >= total) return max;
  let seen = 0;
  let entry = columns.bucketsFrom[point] as number;
  for (;;) {
    seen += columns.bucketCount[entry] as number;
    if (seen >= rank) return valueIn(columns.bucket[entry] as number, min, max);
    entry += 1;
  }
}
