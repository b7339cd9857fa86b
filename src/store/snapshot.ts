import type { RowQuality } from "../model/quality/row-quality.ts";
import type { SourceQuality, Unrecorded } from "../model/source-quality.ts";
import type { LoadTest, Endpoint } from "../model/load-test.ts";
import type { SecondRange, SumRoom } from "../model/columns.ts";
import type {
  DataPoints,
  OutcomeColumns,
  SeriesColumns,
  SumColumns,
} from "../model/data-points.ts";
import type { ReportedPercentiles } from "../model/reported-percentiles.ts";
import type { DerivedRole, StoredRole } from "../model/role.ts";
import type { FailureCounts, FailureKind } from "../model/failures.ts";
import type { SampleEntry } from "../model/samples/child-spans.ts";
import type { MeasureSeries, MeasureTable } from "../model/measures/measure-table.ts";
import type { UserCounts } from "../model/active-users.ts";

/** A growing source that is visible. */
export interface LiveSource {
  readonly sourceId: string;
  /** Largest batch number. */
  readonly lastSequence: number;
  /** The sum of what its batches say; absent if all rows are counted as written. */
  readonly quality?: RowQuality | undefined;
}

/** A completely imported file. */
export interface PublishedSource {
  readonly loadTestId: string;
  readonly sourceId: string;
  /** As given by the user. */
  readonly name: string;
  readonly format: string;
  /** Length and digest of its decompressed content. */
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits; `live:` and its id for a closed copy of a live source. */
  readonly digest: string;
  /** Recognises earlier states of it (`model/source-quality.ts`). Absent if its sender computed none. */
  readonly marks?: string | undefined;
  readonly quality: SourceQuality;
}

export type Content = Pick<PublishedSource, "sizeBytes" | "digest">;

/** One load test at one time: later writes do not change what it reads. */
export interface Snapshot {
  readonly loadTest: LoadTest;
  /**
   * Changes with every visible change of the load test and never returns to an earlier value, not even if a
   * load test is deleted and created again. Safe to use in an ETag.
   */
  readonly revision: string;
  /** What a view by label merges: series with their facets. Absent without a view. */
  readonly unmerged?: Snapshot;
  /**
   * Announces a scan of totals. Call in the turn in which the snapshot was opened: a store may know the sums of its latest state
   * and then need not read them.
   */
  expectTotals?(): void;
  /** Returns the endpoints with at least one visible point, failure or measure. Throws `damaged-store`. */
  index(): Promise<EndpointIndex>;
  /**
   * Reads one series per endpoint, in the given order; empty without a point in `range`. With `room`, a series may
   * overwrite the one before. `distribution` adds the histograms. Throws `damaged-store` if a checksum does not match.
   */
  read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "sums",
    room?: SumRoom,
  ): AsyncIterable<EndpointSeries<SumColumns>>;
  read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "distribution",
  ): AsyncIterable<EndpointSeries<SeriesColumns>>;
  /** The same with what is known of outcomes. */
  read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "outcomes",
  ): AsyncIterable<EndpointSeries<OutcomeColumns>>;
  /**
   * Reads failures by kind, merged over sources: one item per endpoint, in the given order, empty without
   * failures in `range`. Throws `damaged-store`, `sum-too-large`.
   */
  failures(endpoints: readonly Endpoint[], range: SecondRange): AsyncIterable<EndpointFailures>;
  /**
   * Reads active users: one item per load generator with users in `range`, by source and generator, ascending
   * by UTF-8 bytes. Throws `damaged-store`, `sum-too-large`.
   */
  users(range: SecondRange): AsyncIterable<GeneratorUsers>;
  /** Returns the series of measures, and how many values were not stored. Throws `damaged-store`. */
  measureIndex(): Promise<MeasureIndex>;
  /**
   * Reads measures, merged over sources: a table per series, in the given order, empty without values in `range`. Nothing
   * counts as not stored. Throws `damaged-store`, `sum-too-large`.
   */
  measures(series: readonly MeasureSeries[], range: SecondRange): AsyncIterable<MeasureTable>;
  /** Returns the visible sources, ascending by UTF-8 bytes of their id, without withdrawn ones. Marks may be omitted. */
  sources(): Promise<readonly VisibleSource[]>;
  /** Returns percentiles reported by the load tools; endpoints by number. */
  reported(sourceId: string): Promise<ReportedPercentiles>;
  /** Returns requests kept whole and spans of them, as batches have them: `chooseSamples` chooses among them. Throws `damaged-store`. */
  samples(): Promise<readonly SampleEntry[]>;
  /** Releases the snapshot, so that the store can free its data. Must be called once. */
  release(): void;
}

/** Series ascend by `compareSeries`; their labels are numbers of endpoints. */
export type MeasureIndex = Pick<MeasureTable, "series" | "unstored">;

/** What a snapshot reads of points, and of everything else. */
export type Readings = Pick<Snapshot, "read" | "failures" | "users" | "measureIndex" | "measures">;

export interface VisibleSource {
  readonly sourceId: string;
  /** As published; `undefined` for a live source. */
  readonly published: PublishedSource | undefined;
  /** That of `published`; for a live source that of its first batch. */
  readonly format: string | undefined;
  /** What a live source has not recorded so far; `undefined` if its batches do not say. */
  readonly unrecorded?: readonly Unrecorded[] | undefined;
  /** Of a live source: the sum of what its batches say; `undefined` if all rows are counted as written. */
  readonly quality?: RowQuality | undefined;
}

/** Endpoints of a snapshot by number, without a list of all labels. */
export interface EndpointIndex {
  /**
   * Whether there are so many endpoints that reading them takes seconds and holding data of each takes too
   * much memory. Every snapshot of the same data then shares this index, so it can be a cache key.
   */
  readonly isLarge: boolean;
  /** Numbers of all endpoints, ascending. */
  readonly numbers: Uint32Array;
  /** By number: the strongest role of any visible batch (`model/role.ts`). */
  readonly roles: ReadonlyMap<number, DerivedRole>;
  /** Returns the numbers of endpoints whose label contains the text, ascending. */
  containing(text: string): Promise<Uint32Array>;
  /** Numbers of endpoints whose label, without facets, has one of these SHA-1 hashes (40 hex digits, lower case), ascending. */
  hashed(hashes: readonly string[]): Promise<Uint32Array>;
  /** Returns the endpoints with these numbers, in this order. Throws `damaged-store`. */
  named(numbers: Uint32Array): Promise<readonly Endpoint[]>;
  /** Returns the first `limit` of these (ascending) by label. Throws `damaged-store`. */
  first(numbers: Uint32Array, limit: number, order: LabelOrder): Promise<readonly Endpoint[]>;
  /** Yields the endpoints with these numbers (ascending), by label, in chunks. Throws `damaged-store`. */
  byLabel(numbers: Uint32Array): AsyncIterable<readonly Endpoint[]>;
  /**
   * Reads the points of the endpoints with these numbers (ascending), by endpoint, then by second. A chunk
   * has all points of one or more endpoints; endpoints without points are skipped. Do not change the columns.
   * Throws `damaged-store`.
   */
  scan(
    numbers: Uint32Array,
    range: SecondRange,
    detail: "sums",
    order?: ScanOrder,
  ): AsyncIterable<PointSums>;
  /** With "outcomes" what is known of them. */
  scan(
    numbers: Uint32Array,
    range: SecondRange,
    detail: "distribution" | "outcomes" | "totals",
    order?: ScanOrder,
  ): AsyncIterable<DataPoints>;
}

/** What `Snapshot.read` reads of points, each with all of the one before. */
export type PointDetail = "sums" | "distribution" | "outcomes";

/** With "totals" distributions, of which `Totals` may have merged any. */
export type ScannedDetail = PointDetail | "totals";

/** With "any", chunks come as is fastest: several may have points of the same endpoint and second. */
export type ScanOrder = "by endpoint" | "any";

export function pointDetail(detail: ScannedDetail): PointDetail {
  return detail === "totals" ? "distribution" : detail;
}

/** By UTF-8 bytes. */
export type LabelOrder = "ascending" | "descending";

/** Sums of several endpoints, sorted by (endpoint, second), unique. */
export type PointSums = SumColumns & Pick<DataPoints, "endpoint">;

/** The sources of one load test at one time: later writes do not change what they read. */
export interface SourcesSnapshot extends Pick<Snapshot, "loadTest" | "release"> {
  /** The visible ones, empty ones included, ascending by UTF-8 bytes of their id; no staged, withdrawn or replaced ones. */
  readonly sources: readonly SourceReading[];
}

/** One source of a snapshot: what it reads is what a snapshot of a load test with only this source would. */
export interface SourceReading extends Readings, VisibleSource {
  /** See `Snapshot.reported`. */
  reported(): Promise<ReportedPercentiles>;
  /** See `Snapshot.samples`. */
  samples(): Promise<readonly SampleEntry[]>;
  /** Endpoints with a point, a failure or a measure in this source, by label, ascending by UTF-8 bytes. */
  endpoints(): Promise<readonly SourceEndpoint[]>;
}

export interface SourceEndpoint {
  /** Its number within the load test; the role is omitted. */
  readonly endpoint: Pick<Endpoint, "number" | "label">;
  /** Strongest role of any batch of the source; can be `unclear`. */
  readonly role: StoredRole;
}

/** Points of one endpoint, strictly ascending by second. */
export interface EndpointSeries<Columns> {
  readonly endpoint: Endpoint;
  readonly columns: Columns;
}

/** Failures of one endpoint, sorted by (kind, second), unique. */
export interface EndpointFailures extends Omit<FailureCounts, "endpoint"> {
  readonly endpoint: Endpoint;
  /** Distinct kinds: by code, then message, ascending by UTF-8 bytes. */
  readonly kinds: readonly FailureKind[];
}

/** Users of one load generator, strictly ascending by second. */
export interface GeneratorUsers extends Omit<UserCounts, "generator"> {
  readonly sourceId: string;
  readonly generator: string;
}
