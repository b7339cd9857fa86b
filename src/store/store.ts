import type { Keys } from "./keys-port.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import type {
  LoadTestChange,
  LoadTestQuery,
  LoadTestSummary,
  NewLoadTest,
} from "../model/load-test.ts";
import type { Unrecorded } from "../model/source-quality.ts";
import type {
  LiveSource,
  PublishedSource,
  Content,
  Snapshot,
  SourcesSnapshot,
} from "./snapshot.ts";

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

  /** The visible files of all load tests with this content, eldest first. Found by an index. */
  findContent(content: Content): Promise<readonly PublishedSource[]>;

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

/** A part of what one source measured. What there is nothing of is left out. */
export interface PointBatch
  extends
    Pick<MeasurementBatch, "labels" | "points" | "roles">,
    Partial<Pick<MeasurementBatch, "failures" | "users" | "reported">> {
  readonly loadTestId: string;
  /** Who measured it: a file being imported, or one run of one sender. Chosen by the caller. */
  readonly sourceId: string;
  /** Whether readers see it at once (`live`) or after `publish` (`staged`). */
  readonly visibility: "live" | "staged";
  /** Name of the format that a live source had; what its first batch says holds. @default unknown */
  readonly format?: string | undefined;
  /**
   * What a live source has recorded of no request so far; what its last batch that says it says holds.
   * @default what its format never records
   */
  readonly unrecorded?: readonly Unrecorded[] | undefined;
  /** Number of the batch within its source, from 0. */
  readonly sequence: number;
  /**
   * The number of the batch that must be the last of the source until now. It keeps out a batch that
   * was on its way while its writer began anew and cut the source otherwise. @default any
   */
  readonly follows?: number | "nothing" | undefined;
}

/** Stored bytes that cannot be trusted any more. */
export interface Damage {
  readonly loadTestId: string | undefined;
  /** What is affected, as a sentence. */
  readonly message: string;
}
