import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { AccessKey, NewAccessKey } from "../model/access-key.ts";
import type { UserCounts } from "../model/active-users.ts";
import type { FailureCounts, FailureKind } from "../model/failures.ts";
import type { Measured } from "../model/measured.ts";
import type {
  Endpoint,
  LoadTest,
  LoadTestChange,
  LoadTestQuery,
  LoadTestSummary,
  NewLoadTest,
} from "../model/load-test.ts";
import type { DerivedRole, Role } from "../model/role.ts";
import type { SecondRange } from "../model/second-range.ts";

/**
 * Port: where load tests live. Everything that was acknowledged (its promise fulfilled) is durable:
 * it survives the end of the process and of the machine.
 */
export interface Store {
  readonly loadTests: LoadTests;
  readonly points: Points;
  readonly keys: Keys;
  /**
   * What was read before it became this value may be different now, whichever process changed it; as
   * long as it stays the same, nothing is. It may change without need. Costs some microseconds.
   * Always `undefined` where that cannot be known without asking others for it: then nothing that was
   * read before may be taken for what is there now.
   */
  version(): unknown;
  /** Reads everything back and yields one line for each damage found, naming what it affects. */
  verify(): AsyncIterable<Damage>;
  /** Waits for writes that have begun, then closes. A second call does nothing. */
  close(): Promise<void>;
}

/** The catalogue of load tests. */
export interface LoadTests {
  /** Creates a load test. Throws `load-test-exists`. */
  create(loadTest: NewLoadTest): Promise<void>;
  find(id: string): Promise<LoadTestSummary | undefined>;
  /** Those that `query` looks for, latest start first, equal ones by id. @default all of them */
  list(query?: LoadTestQuery): Promise<readonly LoadTestSummary[]>;
  /** Answers what it is after the change. Throws `unknown-load-test`. */
  update(id: string, change: LoadTestChange): Promise<LoadTestSummary>;
  /** Deletes it with all its points. Throws `unknown-load-test`. */
  delete(id: string): Promise<void>;
  /** Deletes it if it has no source, not even a staged one; does nothing where it is not there. */
  deleteUnused(id: string): Promise<void>;
}

/** Data points: written in batches, exactly once each; read from one unchanging snapshot. */
export interface Points {
  /**
   * Adds a batch with all it holds, or nothing; durable when the promise is fulfilled. It is known by
   * its source and sequence number: the same one again changes nothing and answers `duplicate`.
   * The same number with other contents throws `sequence-reused`, and so does a further batch of a
   * published source. A new batch that does not follow the source's last one as it says throws
   * `source-moved-on`. A live source's batch is visible at once, a staged one's after `publish`.
   * Throws `unknown-load-test`, `label-too-long`, `too-many-labels` where the load test has room for
   * fewer labels (nothing of the batch is stored then), and `sum-too-large` where its requests would
   * pass 2^53 - 1.
   */
  append(batch: PointBatch): Promise<{ readonly duplicate: boolean }>;

  /** The sources of a load test that are visible, for finding one that was imported before. */
  sources(loadTestId: string): Promise<readonly PublishedSource[]>;

  /** The live sources of a load test, without those that were withdrawn. */
  liveSources(loadTestId: string): Promise<readonly LiveSource[]>;

  /**
   * Makes a staged source visible in one step and, in the same step, takes away the sources that it
   * `replaces` (earlier, shorter states of the same file). Where the load test already shows a
   * source of the same size and digest - this one, or another that was imported meanwhile - the
   * staged batches are forgotten, nothing else changes, and it answers `duplicate`. Throws
   * `unknown-load-test`, `too-many-labels`; `source-incomplete` where its batches are not numbered 0 to n - 1 without a
   * gap; `source-replaced` where a source to be replaced is not visible (any more).
   */
  publish(
    source: PublishedSource,
    replaces?: readonly string[],
  ): Promise<{ readonly duplicate: boolean }>;

  /** Forgets a staged source and its points. Unknown sources are no error. */
  discard(loadTestId: string, sourceId: string): Promise<void>;

  /**
   * Takes a visible source away. A live one takes no further batches, so that none that was held up
   * on its way brings it back; those that it had are duplicates still. Unknown sources are no error.
   */
  withdraw(loadTestId: string, sourceId: string): Promise<void>;

  /** What is visible now; `undefined` where the load test is not known. */
  snapshot(loadTestId: string): Promise<Snapshot | undefined>;

  /**
   * The same, but source by source, for who takes a load test elsewhere as it is: all sources together
   * hold exactly what `snapshot` would have answered at that instant.
   */
  snapshotBySource(loadTestId: string): Promise<SourcesSnapshot | undefined>;
}

/** A part of what one source measured. Failures and users are left out where there are none. */
export interface PointBatch
  extends
    Pick<Measured, "labels" | "points" | "roles">,
    Partial<Pick<Measured, "failures" | "users">> {
  readonly loadTestId: string;
  /** Who measured it: a file being imported, or one run of one sender. Chosen by the caller. */
  readonly sourceId: string;
  /** Whether readers see it at once (`live`) or after `publish` (`staged`). */
  readonly visibility: "live" | "staged";
  /** Name of the format that a live source had; what its first batch says holds. @default unknown */
  readonly format?: string | undefined;
  /** Number of the batch within its source, from 0. */
  readonly sequence: number;
  /**
   * The number of the batch that must be the last of the source until now. It keeps out a batch that
   * was on its way while its writer began anew and cut the source otherwise. @default any
   */
  readonly follows?: number | "nothing" | undefined;
}

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
  /** Length and digest of its bytes as given, still compressed if they were. */
  readonly sizeBytes: number;
  /** `gmac:` and 32 hex digits; of an earlier program the 64 hex digits of SHA-256. */
  readonly digest: string;
}

/** One load test at one instant: later writes do not change what it reads. */
export interface Snapshot {
  readonly loadTest: LoadTest;
  /**
   * Changes with every change of what is visible in the load test, and never returns to an earlier
   * value, not even when a load test is deleted and made again. Safe to use in an ETag.
   */
  readonly revision: string;
  /**
   * Endpoints with at least one visible point or failure, by label, ascending by UTF-8 bytes. The
   * role of each is the strongest that a visible batch with it tells (`model/role.ts`).
   */
  endpoints(): Promise<readonly Endpoint[]>;
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
   * The same endpoints and points another way, for load tests of so many endpoints that to hold them all, or to
   * read them one by one, would take too much. Absent, or `undefined`, where `endpoints` and `read` do as well.
   */
  many?(): Promise<ManyEndpoints | undefined>;
  /** Lets the store free what only this snapshot still reads. To be called once, always. */
  release(): void;
}

/** Very many endpoints of a snapshot, by their numbers: none of their labels is held in memory. */
export interface ManyEndpoints {
  /** Those that `endpoints` answers, ascending by number. */
  readonly numbers: Uint32Array;
  /** The roles that it answers, by number. */
  readonly roles: ReadonlyMap<number, DerivedRole>;
  /** Numbers of those whose label contains the text, ascending. */
  containing(text: string): Promise<Uint32Array>;
  /** Numbers of those whose label has one of these SHA-1 (40 hex digits, lower case), ascending. */
  hashed(hashes: readonly string[]): Promise<Uint32Array>;
  /** Endpoints with these numbers, in this order. Throws `damaged-store`. */
  named(numbers: readonly number[]): Promise<readonly Endpoint[]>;
  /** The first `limit` of these (ascending) by label, in this order. Throws `damaged-store`. */
  first(numbers: Uint32Array, limit: number, order: LabelOrder): Promise<readonly Endpoint[]>;
  /** All numbers in the order of labels. Takes more memory than all else here, for a moment. */
  byLabel(): Promise<Uint32Array>;
  /**
   * Reads what `read` does of the endpoints with these numbers (ascending), several endpoints in a part: by
   * endpoint, ascending, then by second; all points of an endpoint in one part. Columns are not to
   * be changed. Throws `damaged-store`.
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
export interface SourceReading extends Pick<Snapshot, "read" | "failures" | "users"> {
  readonly sourceId: string;
  /** As it was published; `undefined` for a live source. */
  readonly published: PublishedSource | undefined;
  /** That of `published`; of a live source what its first batch told. */
  readonly format: string | undefined;
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

/** Keys, kept as the SHA-256 of their text. */
export interface Keys {
  /** Adds a key. Throws `key-name-taken`. */
  add(key: NewAccessKey): Promise<void>;
  /** The key of this digest (64 hex digits), revoked and expired ones included. */
  find(digest: string): Promise<AccessKey | undefined>;
  /** All of them by time of creation. */
  list(): Promise<readonly AccessKey[]>;
  /** Revokes at `atMs`; revoking twice changes nothing. Throws `unknown-key-name`. */
  revoke(name: string, atMs: number): Promise<void>;
  /** Notes that a key was used at `atMs`. */
  touch(digest: string, atMs: number): Promise<void>;
}

/** Stored bytes that cannot be trusted any more. */
export interface Damage {
  readonly loadTestId: string | undefined;
  /** What is affected, as a sentence. */
  readonly message: string;
}
