/**
 * The default store: one SQLite file that several processes may share. docs/internals/formats/store.md
 * describes its content, the port (`../store.ts`) its guarantees.
 */

import { noticesOf, type Store, type StoredText, type StoreScope } from "../store.ts";
import { Background, checkpointsBeside } from "./compaction/background.ts";
import { dataVersionOf } from "./file/while-unchanged.ts";
import { type FileOptions, type SqliteFile, openFile, emptyLog } from "./file.ts";
import { openRunFigures } from "./catalogue/run-figures.ts";
import { openAudit } from "./catalogue/audit.ts";
import { openKeys } from "./catalogue/keys.ts";
import { scopeValues } from "./catalogue/load-test-rows.ts";
import { openSqliteFiles } from "./files.ts";
import { openLoadTests } from "./catalogue/load-tests.ts";
import { forgetStaged, openPoints } from "./points.ts";
import { beginQuickCheck, QUICK_CHECK_BYTES_MAX, type QuickCheck } from "./file/quick-check.ts";
import { Compactor } from "./compaction/compactor.ts";
import type { MergePlan } from "./compaction/merge-chunks.ts";
import { RunTotals } from "./compaction/run-totals.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";
import { ignoreFullDisk, schemaError } from "./file/sql-error.ts";
import { verifyFile } from "./verify.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Mutex } from "../../concurrency/mutex.ts";
import { GC_GRACE_MS } from "./blocks/block-rows.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface SqliteStoreOptions extends Omit<FileOptions, "quickCheckBytesMax"> {
  /** Files up to this size are checked for damage, large ones in a second thread. @default 1 GiB */
  readonly quickCheckBytesMax?: number;
  /**
   * Called with `damaged-store`, or why a large file cannot be checked. Reads are then answered during the check, as blocks have
   * checksums; writes wait for it, and fail with the same error. @default opening waits for the check, and throws
   */
  readonly damaged?: ((error: unknown) => void) | undefined;
}

/**
 * Opens the store file at `path`, creating it unless read-only. Throws `store-unusable`, `store-too-new`,
 * `damaged-store`.
 */
export async function openSqliteStore(path: string, options: SqliteStoreOptions): Promise<Store> {
  const { now, quickCheckBytesMax = QUICK_CHECK_BYTES_MAX, damaged, ...others } = options;
  // A second connection of this process would write the index of the log.
  const check = others.isReadOnly ? undefined : beginQuickCheck(path, quickCheckBytesMax);
  try {
    const checkedHereBytesMax = check === undefined ? quickCheckBytesMax : 0;
    const file = openFile(path, { now, quickCheckBytesMax: checkedHereBytesMax, ...others });
    try {
      if (damaged === undefined) await check?.isWhole;
      else if (check !== undefined) {
        file.queue.startAfter(check.isWhole);
        check.isWhole.catch(damaged);
      }
      return await openParts(file, check);
    } catch (error) {
      await file.close();
      throw schemaError(error, path);
    }
  } catch (error) {
    await check?.giveUp();
    throw error;
  }
}

async function openParts(file: SqliteFile, check: QuickCheck | undefined): Promise<Store> {
  const background = new Background(file.path);
  const totals = new RunTotals((request) => background.totals(request));
  const snapshots = new SnapshotKeeper(file, totals);
  const mergeBeside: MergePlan = (plan) => background.merge(plan);
  const compactor = new Compactor(file, { mergeBeside });
  const housekeeping = new Housekeeping(file, snapshots, compactor);
  const figures = openRunFigures(file);
  const [keys, audit, version] = [openKeys(file), openAudit(file), dataVersionOf(file.reader)];
  let closing: Promise<void> | undefined;
  const within = (scope: StoreScope): Store => {
    const { project, environment } = scopeValues(scope);
    return {
      loadTests: openLoadTests(file, scope),
      points: openPoints(file, scope, { snapshots, compactor, figures }),
      files: openSqliteFiles(file, scope),
      thresholds: {
        find: (name) => textOf(file, "thresholds", project, name).find(),
        keep: (name, text) => textOf(file, "thresholds", project, name).keep(text),
      },
      senderState: (id = "") => textOf(file, "senderStates", project, environment, id),
      judgeNotes: textOf(file, "judgeNotes", project),
      noticeNotes: textOf(file, "judgeNotes", noticesOf(project)),
      keys,
      audit,
      within: (inner) => within({ ...scope, ...inner }),
      scopes: async () => file.reading.loadTests.scopes(),
      version,
      verify: () => verifyFile(file, snapshots),
      close() {
        closing ??= closeAll(file, { housekeeping, background, check });
        return closing;
      },
    };
  };
  const store = within({});
  if (file.isReadOnly) return store;
  file.queue.onChanges = (changes) => totals.note(changes);
  file.queue.onCommit = checkpointsBeside(file.writer, background);
  await forgetStale(file).catch(ignoreFullDisk);
  await housekeeping.begin().catch(ignoreFullDisk);
  return store;
}

/** Leftovers of a killed import are deleted after a day: a slow import may still be running. */
async function forgetStale(file: SqliteFile): Promise<void> {
  const before = file.now() - DAY_MS;
  if (file.reading.sources.stale(before).length === 0 || file.isServed()) return;
  await file.queue.write(() => {
    for (const source of file.writing.sources.stale(before)) forgetStaged(file, source);
  });
}

async function closeAll(
  file: SqliteFile,
  parts: {
    readonly housekeeping: Housekeeping;
    readonly background: Background;
    readonly check: QuickCheck | undefined;
  },
): Promise<void> {
  await parts.housekeeping.stop();
  await parts.background.stop();
  // Writes may wait for the check.
  await file.queue.close();
  await parts.check?.giveUp();
  await file.close();
}

function textOf(
  { reading, writing, queue }: SqliteFile,
  table: keyof SqliteFile["reading"]["texts"],
  ...key: readonly string[]
): StoredText {
  return {
    find: async () => reading.texts[table].find(...key),
    keep: (text) => queue.write(() => writing.texts[table].keep(text, ...key)),
    replace: (present, text) =>
      queue.write(() => {
        const isPresent = writing.texts[table].find(...key) === present;
        if (isPresent) writing.texts[table].keep(text, ...key);
        return isPresent;
      }),
  };
}

/** Batch records deleted in one write. */
const BATCHES_AT_ONCE = 5000;

/** Chunks of files deleted in one write. */
const CHUNKS_AT_ONCE = 16;

/** Free pages returned in one write: some milliseconds. */
const PAGES_AT_ONCE = 512;

/** Idle time without writes that starts the work. */
const IDLE_MS = 2000;
/** How often work is checked for without such idle time. */
const MINUTE_MS = 60_000;
/** Short writes of leftover work done before opening completes. */
const OPENING_WRITES = 8;

/** Background work that nothing depends on: compacts live batches, deletes old blocks, frees pages and the log. */
class Housekeeping {
  readonly #file: SqliteFile;
  readonly #snapshots: SnapshotKeeper;
  readonly #compactor: Compactor;
  #timer: NodeJS.Timeout | undefined;
  #minuteTimer: NodeJS.Timeout | undefined;
  readonly #working = new Mutex();
  #stopped = false;

  constructor(file: SqliteFile, snapshots: SnapshotKeeper, compactor: Compactor) {
    this.#file = file;
    this.#snapshots = snapshots;
    this.#compactor = compactor;
  }

  /** Does the work that waited for the file to open, and continues until stopped. */
  async begin(): Promise<void> {
    this.#file.queue.onIdle = () => this.#later(IDLE_MS);
    this.#minuteTimer = setInterval(() => this.#run(() => this.#lookAround()), MINUTE_MS).unref();
    this.#later(IDLE_MS);
    await takeOutDead(this.#file, this.#snapshots, countdown(OPENING_WRITES));
    await giveBackPages(this.#file, countdown(OPENING_WRITES));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#minuteTimer);
    await this.#compactor.stop();
    await this.#working.run(async () => undefined);
  }

  /** Starts the work after idle time without writes; does not keep the process alive. */
  #later(delayMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(() => this.#tidyUp()), delayMs).unref();
  }

  /** Leftover and due work is done even if nothing is written, or blocks are all the time: the next writes reuse freed pages. */
  async #lookAround(): Promise<void> {
    this.#compactor.sweep();
    await takeOutDead(this.#file, this.#snapshots, () => !this.#stopped);
  }

  async #tidyUp(): Promise<void> {
    await this.#lookAround();
    await giveBackPages(this.#file, () => !this.#stopped);
    emptyLog(this.#file.writer);
    if (this.#snapshots.hasDead()) this.#later(GC_GRACE_MS);
  }

  #run(work: () => Promise<void>): void {
    // Nothing is lost: the next idle time retries, and a full disk shows in every write.
    this.#working.run(work).catch(() => undefined);
  }
}

/** Returns true this many times. */
function countdown(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}

/** Deletes old blocks, records of batches, and bytes of files as long as `isWanted`. The next writes reuse the pages. */
export async function takeOutDead(
  file: SqliteFile,
  snapshots: SnapshotKeeper,
  isWanted: () => boolean,
): Promise<void> {
  while (isWanted() && (await snapshots.collectGarbageOnce())) await nextTurn();
  while (isWanted() && file.reading.sources.anyRemoved()) {
    await file.queue.write(() => file.writing.sources.forgetSome(BATCHES_AT_ONCE));
    await nextTurn();
  }
  // A slow upload may still be running.
  const beforeMs = file.now() - DAY_MS;
  while (isWanted() && file.reading.files.anyDead(beforeMs) && !file.isServed()) {
    await file.queue.write(() => file.writing.files.forgetSome(beforeMs, CHUNKS_AT_ONCE));
    await nextTurn();
  }
}

/** Returns free pages to the disk as long as `isWanted`. */
export async function giveBackPages(
  { queue, reader, writer }: SqliteFile,
  isWanted: () => boolean,
): Promise<void> {
  const free = reader.prepare("PRAGMA freelist_count");
  while (isWanted() && free.get()?.["freelist_count"] !== 0) {
    await queue.write(() => writer.exec(`PRAGMA incremental_vacuum(${PAGES_AT_ONCE})`));
    await nextTurn();
  }
}
