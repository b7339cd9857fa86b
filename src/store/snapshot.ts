import type { SourceQuality, Unrecorded } from "../model/source-quality.ts";
import type { LoadTest, Endpoint } from "../model/load-test.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { SumColumns, DistributionColumns, DataPoints } from "../model/data-points.ts";
import type { ReportedPercentiles } from "../model/reported-percentiles.ts";
import type { DerivedRole, Role } from "../model/role.ts";
import type { FailureCounts, FailureKind } from "../model/failures.ts";
import type { UserCounts } from "../model/active-users.ts";

/** A source that readers see growing. */
export interface LiveSource {
  readonly sourceId: string;
  /** The largest number of its batches. */
  readonly lastSequence: number;
}

/** A file that was imported whole. */
export interface PublishedSource {
  readonly loadTestId: string;
  readonly sourceId: string;
  /** As the user gave it. */
  readonly name: string;
  readonly format: string;
  /** Length and digest of its plain content. Without `marks`: of its bytes as given, compressed or not. */
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits; of an earlier program the 64 hex digits of SHA-256. */
  readonly digest: string;
  /** What recognises earlier states of it (`model/marks.ts`). Absent where an earlier program stored it. */
  readonly marks?: string | undefined;
  /** What its figures cannot tell; `undefined` where an earlier program imported it. */
  readonly quality?: SourceQuality | undefined;
}

export type Content = Pick<PublishedSource, "sizeBytes" | "digest">;

/** One load test at one instant: later writes do not change what it reads. */
export interface Snapshot {
  readonly loadTest: LoadTest;
  /**
   * Changes with every change of what is visible in the load test, and never returns to an earlier
   * value, not even when a load test is deleted and made again. Safe to use in an ETag.
   */
  readonly revision: string;
  /** The endpoints with at least one visible point or failure. Throws `damaged-store`. */
  index(): Promise<EndpointIndex>;
  /**
   * Reads points of `endpoints`, one series for each, in the order given; an endpoint without a
   * point in `range` gives an empty series. `distribution` says whether the histograms are read too.
   * Throws `damaged-store` where stored bytes fail their checksum.
   */
  read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "sums",
  ): AsyncIterable<EndpointSeries<SumColumns>>;
  read(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: "distribution",
  ): AsyncIterable<EndpointSeries<SumColumns & DistributionColumns>>;
  /**
   * Reads failures by kind, merged over sources: one item for each endpoint, in the order given, an
   * empty one where it has no failure in `range`. Throws `damaged-store`, `sum-too-large`.
   */
  failures(endpoints: readonly Endpoint[], range: SecondRange): AsyncIterable<EndpointFailures>;
  /**
   * Reads active users: one item for each load generator of a source that tells of some in `range`,
   * by source and generator, ascending by UTF-8 bytes. Throws `damaged-store`, `sum-too-large`.
   */
  users(range: SecondRange): AsyncIterable<GeneratorUsers>;
  /**
   * The visible sources, ascending by UTF-8 bytes of their id; withdrawn ones are not among them. What
   * recognises earlier states of a file may be left out.
   */
  sources(): Promise<readonly VisibleSource[]>;
  /** Percentiles that the tool of a source computed itself; endpoints by their number. */
  reported(sourceId: string): Promise<ReportedPercentiles>;
  /** Lets the store free what only this snapshot still reads. To be called once, always. */
  release(): void;
}

/** A source that readers see. */
export interface VisibleSource {
  readonly sourceId: string;
  /** As it was published; `undefined` for a live source. */
  readonly published: PublishedSource | undefined;
  /** That of `published`; of a live source what its first batch said. */
  readonly format: string | undefined;
  /** What a live source has recorded of no request so far; `undefined` where its batches do not say. */
  readonly unrecorded?: readonly Unrecorded[] | undefined;
}

/** The endpoints of a snapshot, found by their numbers: nothing here needs a list of all labels. */
export interface EndpointIndex {
  /**
   * Whether there are so many endpoints that to read them takes seconds and to hold something of each
   * takes too much memory. Every snapshot of the same data then has this same index, so that what is
   * read of it can be cached by it.
   */
  readonly isLarge: boolean;
  /** Of all endpoints, ascending. */
  readonly numbers: Uint32Array;
  /** By number: the strongest role that a visible batch states (`model/role.ts`). */
  readonly roles: ReadonlyMap<number, DerivedRole>;
  /** Numbers of endpoints whose label contains the text, ascending. */
  containing(text: string): Promise<Uint32Array>;
  /** Numbers of endpoints whose label has one of these SHA-1 (40 hex digits, lower case), ascending. */
  hashed(hashes: readonly string[]): Promise<Uint32Array>;
  /** The endpoints with these numbers, in this order. Throws `damaged-store`. */
  named(numbers: Uint32Array): Promise<readonly Endpoint[]>;
  /** The first `limit` of these (ascending) by label, in this order. Throws `damaged-store`. */
  first(numbers: Uint32Array, limit: number, order: LabelOrder): Promise<readonly Endpoint[]>;
  /** The endpoints with these numbers (ascending), by label, in chunks. Throws `damaged-store`. */
  byLabel(numbers: Uint32Array): AsyncIterable<readonly Endpoint[]>;
  /**
   * Reads the points of the endpoints with these numbers (ascending), by endpoint, then by second.
   * A chunk has all points of one or more endpoints; those without a point are in none. Columns are
   * not to be changed. Throws `damaged-store`.
   */
  scan(numbers: Uint32Array, range: SecondRange, detail: "sums"): AsyncIterable<PointSums>;
  scan(numbers: Uint32Array, range: SecondRange, detail: "distribution"): AsyncIterable<DataPoints>;
}

/** By UTF-8 bytes. */
export type LabelOrder = "ascending" | "descending";

/** The sums of several endpoints, sorted by (endpoint, second), no pair twice. */
export type PointSums = SumColumns & Pick<DataPoints, "endpoint">;

/** The sources of one load test at one instant: later writes do not change what they read. */
export interface SourcesSnapshot extends Pick<Snapshot, "loadTest" | "release"> {
  /**
   * The visible ones, those without any data included, ascending by UTF-8 bytes of their id. Staged
   * sources and those that were withdrawn or replaced are not among them.
   */
  readonly sources: readonly SourceReading[];
}

/**
 * One source of a snapshot, alone: `read`, `failures` and `users` answer as those of a snapshot of a
 * load test that has no other source.
 */
export interface SourceReading
  extends Pick<Snapshot, "read" | "failures" | "users">, VisibleSource {
  /** As `Snapshot.reported`. */
  reported(): Promise<ReportedPercentiles>;
  /** Endpoints that have a point or a failure in this source, by label, ascending by UTF-8 bytes. */
  endpoints(): Promise<readonly SourceEndpoint[]>;
}

/** An endpoint as one source tells of it. */
export interface SourceEndpoint {
  /** Its number is that of the whole load test; its role is left out. */
  readonly endpoint: Pick<Endpoint, "number" | "label">;
  /** The strongest that a batch of the source tells; unlike an answer it can be `unclear`. */
  readonly role: Role;
}

/** The points of one endpoint, ascending by second, each second once. */
export interface EndpointSeries<Columns> {
  readonly endpoint: Endpoint;
  readonly columns: Columns;
}

/** The failures of one endpoint, sorted by (kind, second), no pair twice. */
export interface EndpointFailures extends Omit<FailureCounts, "endpoint"> {
  readonly endpoint: Endpoint;
  /** Those that it has, each once: by code, then message, ascending by UTF-8 bytes. */
  readonly kinds: readonly FailureKind[];
}

/** The users of one load generator, ascending by second, each second once. */
export interface GeneratorUsers extends Omit<UserCounts, "generator"> {
  readonly sourceId: string;
  readonly generator: string;
}
