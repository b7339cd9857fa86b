import type { MeasurementBatch } from "../model/data-points.ts";
import type {
  LoadTestChange,
  LoadTestQuery,
  LoadTestSummary,
  NewLoadTest,
} from "../model/load-test.ts";
import type { Measurement, RowQuality } from "../model/quality/row-quality.ts";
import type { Unrecorded } from "../model/source-quality.ts";
import type {
  Content,
  LiveSource,
  PublishedSource,
  Snapshot,
  SourcesSnapshot,
} from "./snapshot.ts";
import type { AccessKey, NewAccessKey } from "../model/access-key.ts";
import type { KeptFile, NewFile, SourcePlace } from "../model/kept-file.ts";

/** What a part of a store belongs to. */
export interface StoreScope {
  /** `undefined`: to no project. */
  readonly project?: string | undefined;
  /** In its scope, load tests are its hours; `undefined`: those that users create. */
  readonly environment?: string | undefined;
}

/**
 * Port: storage of load tests. What is acknowledged (its promise resolves) survives the end of the process and of the machine.
 * Load tests, points, files, thresholds and notes are those of one scope, in which nothing else exists; the rest is that of the whole
 * store.
 */
export interface Store {
  readonly loadTests: LoadTests;
  readonly points: Points;
  readonly thresholds: StoredTexts;
  readonly files: Files;
  /** What live senders need to go on with a load test, until it is deleted; without an id, with an environment. */
  senderState(loadTestId?: string): StoredText;
  /** What the judge of a project has begun. */
  readonly judgeNotes: StoredText;
  /** Notices of a project about load tests that run: who posts which, and which are posted. */
  readonly noticeNotes: StoredText;
  readonly keys: Keys;
  readonly audit: AuditLog;
  /** Opens another scope; absent members are those of this one. Costs little. A store is opened without project and environment. */
  within(scope: StoreScope): Store;
  /** Scopes with a load test, by project, then environment. */
  scopes(): Promise<readonly StoreScope[]>;
  /**
   * Version of the store's content. While it is unchanged, so is everything that was read since, whichever
   * process writes; it may change without need. Costs some microseconds.
   */
  version(): unknown;
  /** Reads everything back and yields one line per damage, naming what it affects. */
  verify(): AsyncIterable<Damage>;
  /** Waits for running writes, then closes. Idempotent. */
  close(): Promise<void>;
}

export interface StoredText {
  /** `undefined` if none is kept. */
  find(): Promise<string | undefined>;
  /** Replaces it; `undefined` removes it. */
  keep(text: string | undefined): Promise<void>;
  /** The same if it is `present`, whichever process writes. Returns whether it was. */
  replace(present: string | undefined, text: string): Promise<boolean>;
}

/** Key of `noticeNotes` among notes that are kept by project. */
export function noticesOf(project: string): string {
  return `${project}\u0001notices`;
}

/** Texts by name: thresholds by that of load tests. */
export interface StoredTexts {
  /** `undefined` if none is kept. */
  find(name: string): Promise<string | undefined>;
  /** Replaces that of the name; `undefined` removes it. */
  keep(name: string, text: string | undefined): Promise<void>;
}

export interface LoadTests {
  /** Creates a load test. Throws `load-test-exists`. */
  create(loadTest: NewLoadTest): Promise<void>;
  find(id: string): Promise<LoadTestSummary | undefined>;
  /** Returns those that match `query`, latest start first, then by id. @default all */
  list(query?: LoadTestQuery): Promise<readonly LoadTestSummary[]>;
  /** Returns the changed load test. Throws `unknown-load-test`. */
  update(id: string, change: LoadTestChange): Promise<LoadTestSummary>;
  /** Deletes it with all its points. Throws `unknown-load-test`. */
  delete(id: string): Promise<void>;
  /** Deletes it, in one step, if it exists and `isDue` then. Returns whether it was deleted. */
  deleteIf(id: string, isDue: (loadTest: LoadTestSummary) => boolean): Promise<boolean>;
  /** Deletes it if it has no source, not even a staged one, and nothing of `isInUse` or a file; does nothing if it does not exist. */
  deleteUnused(id: string): Promise<void>;
}

/** Data points: batches are written exactly once and read from immutable snapshots. */
export interface Points {
  /**
   * Adds a batch with all it holds, or nothing; durable when the promise is fulfilled. It is known by
   * its source and sequence number: the same one again changes nothing and answers `duplicate`.
   * The same number with other contents throws `sequence-reused`, and so does a further batch of a
   * published source. A new batch that does not follow the source's last one as it says throws
   * `source-moved-on`. Whole requests do not count as contents: a sender that begins again chooses among others. A live source's batch is visible at once, a staged one's after `publish`.
   * Throws `unknown-load-test`, `label-too-long`, `too-many-labels` where the load test has room for
   * fewer labels (nothing of the batch is stored then), and `sum-too-large` where its requests would
   * pass 2^53 - 1. Values of measures beyond the limit of series are counted as not stored, and as unread in
   * the quality of a live source.
   * Columns of points may be lent until the promise is settled: who needs them later copies them.
   */
  append(batch: PointBatch): Promise<Appended>;

  /** Returns the visible sources of a load test, to find an earlier import. */
  sources(loadTestId: string): Promise<readonly PublishedSource[]>;

  /** Returns the visible files of all load tests with this content, oldest first. Uses an index. */
  findContent(content: Content): Promise<readonly PublishedSource[]>;

  liveSources(loadTestId: string): Promise<readonly LiveSource[]>;

  /**
   * Publishes a staged source and, in the same step, withdraws the sources that it `replaces` (earlier,
   * shorter states of the same file, or the same with other roles, whose original it gets), as `withdraw` does. If the load test already shows another source of the
   * same size and digest - this one, or a concurrent import - the staged batches are deleted, nothing else changes, and it returns
   * `duplicate`. Throws `unknown-load-test`, `too-many-labels`; `source-incomplete` unless its batches are
   * numbered 0 to n - 1 without gaps, n being `batches` where it is given: another process may have deleted what was staged;
   * `source-replaced` if a source to be replaced is not visible (any more).
   */
  publish(
    source: PublishedSource,
    replaces?: readonly string[],
    batches?: number,
  ): Promise<{ readonly duplicate: boolean }>;

  /** Deletes a staged source and its points. Ignores unknown sources. */
  discard(loadTestId: string, sourceId: string): Promise<void>;

  /**
   * Withdraws a visible source. A live one accepts no further batches, so that no delayed batch brings it
   * back; its earlier batches remain duplicates. Ignores unknown sources.
   */
  withdraw(loadTestId: string, sourceId: string): Promise<void>;

  /**
   * Merges points and measures of each minute into one, for good: the seconds are lost. Returns whether it completed; if
   * not, some may be merged, and the same call again goes on. Throws `unknown-load-test`, `damaged-store`.
   */
  downsample(loadTestId: string): Promise<boolean>;

  readonly figures: StoredFigures;

  /** Opens a snapshot of what is visible now; `undefined` if the load test is unknown. */
  snapshot(loadTestId: string): Promise<Snapshot | undefined>;

  /** The same per source, for copying: all sources together have exactly what `snapshot` would have returned then. */
  snapshotBySource(loadTestId: string): Promise<SourcesSnapshot | undefined>;
}

export interface Appended {
  readonly duplicate: boolean;
  /** Values of series beyond the limit, by measure. Absent if empty. */
  readonly unstored?: readonly Measurement[] | undefined;
  /** Requests by label whose series are beyond the limits, and count as other ones. Absent if empty. */
  readonly otherFacets?: readonly Measurement[] | undefined;
  /** Present if it changed what is visible. */
  readonly revisions?: RevisionStep | undefined;
}

/** Of a load test, before and after a change: see `Snapshot.revision`. */
export interface RevisionStep {
  readonly before: string;
  readonly after: string;
}

/** Figures computed of parts of load tests, so that they are not computed again; any may be missing. */
export interface StoredFigures {
  /** By load test, those of its current revision. */
  find(loadTestIds: readonly string[], part: string): Promise<ReadonlyMap<string, FiguresText>>;
  /** Nothing is stored if the load test has another revision by now, or if the store takes no writes. */
  keep(loadTestId: string, part: string, figures: FiguresText): Promise<void>;
}

/** Part of the whole load test: `COMPUTED_FIGURES` as a JSON array, in seconds or `null`, which searches read. It is kept beside all others. */
export const OVERALL_FIGURES = "overall";

export interface FiguresText {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly text: string;
}

/** Part of what one source measured. Empty parts are omitted. */
export interface PointBatch
  extends
    Pick<MeasurementBatch, "labels" | "points" | "roles">,
    Partial<Pick<MeasurementBatch, "failures" | "users" | "reported" | "measures" | "samples">> {
  readonly loadTestId: string;
  /** The source: a file being imported, or one run of one sender. Chosen by the caller. */
  readonly sourceId: string;
  /** Whether it is visible immediately (`live`) or after `publish` (`staged`). */
  readonly visibility: "live" | "staged";
  /** Name of the format of a live source, from its first batch. @default unknown */
  readonly format?: string | undefined;
  /** What a live source has not recorded, from its last batch that says so. @default what its format never records */
  readonly unrecorded?: readonly Unrecorded[] | undefined;
  /** Of a live source: rows since its batch before that are not counted as written. Added up with the batch. @default none */
  readonly quality?: RowQuality | undefined;
  /** Number of the batch within its source, from 0. */
  readonly sequence: number;
  /**
   * Required number of the source's previous batch. Rejects a delayed batch of a writer that restarted and
   * split the source differently. @default any
   */
  readonly follows?: number | "nothing" | undefined;
}

/** Untrustworthy stored bytes. */
export interface Damage {
  /** Of the load test. */
  readonly scope?: StoreScope | undefined;
  readonly loadTestId: string | undefined;
  /** What is affected, as a sentence. */
  readonly message: string;
}

const MINUTE_MS = 60_000;

/** Access keys, stored as the SHA-256 of their text. */
export interface Keys {
  /** Adds a key. Throws `key-name-taken`. */
  add(key: NewAccessKey): Promise<void>;
  /** Returns the key with this digest (64 hex digits), even if revoked or expired. */
  find(digest: string): Promise<AccessKey | undefined>;
  /** Returns all keys by time of creation. */
  list(): Promise<readonly AccessKey[]>;
  /**
   * Revokes at `atMs`. Idempotent. `check` throws to prevent it: it gets all keys, and none is revoked until this one is, by
   * any process. Throws `unknown-key-name`.
   */
  revoke(name: string, atMs: number, check?: (keys: readonly AccessKey[]) => void): Promise<void>;
  /** Deletes keys of sign-ins that expired before `atMs`. */
  forgetExpired(atMs: number): Promise<void>;
  /** Records that a key was used at `atMs`. */
  touch(digest: string, atMs: number): Promise<void>;
}

/** Returns the time of use to store: the full minute, so that using a key rarely writes. */
export function usedAtMinuteMs(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** Entries of a key, or of a project without a key, that the log has at most. */
export const AUDIT_ENTRIES_PER_KEY = 10_000;

/** Who changed what. Entries cannot be changed; the oldest of a key are deleted, so that no key removes those of another. */
export interface AuditLog {
  add(entry: NewAuditEntry): Promise<void>;
  /** Those of one project, latest first. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

export interface NewAuditEntry {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** See `AccessKey.project`. */
  readonly project: string | undefined;
  /** Name of the key; `undefined`: the server itself, or a person who got none. */
  readonly key: string | undefined;
  readonly operation: string;
  /** What was changed: an id or a name. */
  readonly target: string | undefined;
  /** `done`, or the code of the error. */
  readonly outcome: string;
  /** JSON; never a key. */
  readonly details: string | undefined;
}

export interface AuditEntry extends NewAuditEntry {
  /** Unique in the store; opaque. */
  readonly id: string;
}

export interface AuditQuery {
  readonly project: string | undefined;
  /** Exact. @default any */
  readonly target?: string | undefined;
  /** Id of the last entry of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Files kept with load tests. Equal bytes are stored once, and deleted with the last file that has them. */
export interface Files {
  /** Originals of visible sources and attachments, oldest first; none of an unknown load test. */
  list(loadTestId: string): Promise<readonly KeptFile[]>;
  /** Begins a file, of which nothing is seen before it is finished. */
  begin(file: NewFile): FileWriter;
  find(loadTestId: string, id: string): Promise<FoundFile | undefined>;
  /** Ignores unknown files. */
  remove(loadTestId: string, id: string): Promise<void>;
}

export interface FileWriter {
  /** Copies the bytes, in bounded memory. Throws `file-too-large`, and what the store throws. */
  write(bytes: Uint8Array): Promise<void>;
  /**
   * Shows it, an original with its source. Returns the file: that which is there, if the source has one or the id is
   * taken; `undefined` if it cannot be kept at `place`, which is another one than it was begun for.
   * Throws `unknown-load-test`, `bad-parameter` for an unknown source, `too-many-files`.
   */
  finish(place?: SourcePlace): Promise<KeptFile | undefined>;
  /** Gives up what is not finished. Never throws: what cannot be deleted is never seen. */
  discard(): Promise<void>;
}

export interface FoundFile extends KeptFile {
  /**
   * Bytes from `from` until `until`; all are compared with the SHA-256 where all are read. Throws `damaged-store`, and
   * `unknown-file` if it is deleted meanwhile.
   */
  read(from?: number, until?: number): AsyncIterable<Uint8Array>;
}
