/**
 * Queue of all writes of this process: one transaction at a time on one connection. Writes that wait at the
 * same time share a transaction and one sync, which runs beside the event loop; the next transaction waits for
 * it. Each write succeeds or fails alone, and is acknowledged only after COMMIT has returned, the log is on the
 * disk (unless the write needs no sync), and the files are still in place.
 */

import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { UserError } from "../../../model/errors.ts";
import type { Change } from "../../totals.ts";
import { isBusy, isFailedSync, storeError } from "./sql-error.ts";

/** A transaction of this size takes no further writes, which limits waiting. */
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
const GROUP_MS_MAX = 20;
/** How long a write waits for the lock of another process. */
const LOCK_WAIT_MS_MAX = 15_000;
const LOCK_RETRY_MS = 5;

interface Write {
  readonly bytes: number;
  readonly isSynced: boolean;
  readonly run: () => unknown;
  readonly fulfil: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Connection = Pick<DatabaseSync, "exec" | "isTransaction">;

export interface WrittenFiles {
  /** Resolves once all that was committed is on the disk. If it rejects, all later writes fail. */
  sync(): Promise<void>;
  /** Throws if committed writes will be lost; then all later writes fail. */
  check(): void;
}

export class WriteQueue {
  /** Called whenever the queue becomes empty. */
  onIdle: (() => void) | undefined;
  /** Called with what the writes of each COMMIT have noted, before anything can be read of it. */
  onChanges: ((changes: readonly Change[]) => void) | undefined;
  /** Called after each COMMIT, once its writes are acknowledged. */
  onCommit: (() => void) | undefined;
  readonly #database: Connection;
  readonly #files: WrittenFiles;
  #waiting: Write[] = [];
  /** Of the open transaction. */
  #changes: Change[] = [];
  #working: Promise<void> | undefined;
  readonly #running = new Set<Promise<unknown>>();
  #failure: unknown;
  #allowed: Promise<void> | undefined;
  #closing = false;
  #closed = false;

  /** With a `refusal`, all writes fail with it. */
  constructor(database: Connection, files: WrittenFiles, refusal?: UserError) {
    this.#database = database;
    this.#files = files;
    this.#failure = refusal;
  }

  /** Makes all writes wait for `allowed`. If it rejects, they fail with its reason. */
  startAfter(allowed: Promise<void>): void {
    this.#allowed = allowed;
    // There may be no write.
    allowed.catch(() => undefined);
  }

  /**
   * Runs `run` within a transaction and resolves with its result after the commit. If `run` throws, only its
   * own writes are rolled back. `bytes` estimates the size of the write. Not `isSynced`: only a later write needs it.
   */
  write<Answer>(run: () => Answer, bytes = 0, isSynced = true): Promise<Answer> {
    return new Promise((fulfil, reject) => {
      if (this.#failure !== undefined || this.#closed) return reject(this.#refusal());
      this.#waiting.push({ run, bytes, isSynced, fulfil: fulfil as Write["fulfil"], reject });
      this.#working ??= this.#work();
    });
  }

  /** Notes a change of a load test, within a write. */
  note(change: Change): void {
    this.#changes.push(change);
  }

  /** Runs work that leads to writes; closing waits for it. */
  async begin<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#closing) throw this.#refusal();
    const working = work();
    this.#running.add(working);
    try {
      return await working;
    } finally {
      this.#running.delete(working);
    }
  }

  /** Waits for running work and writes; rejects later ones. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.allSettled(this.#running);
    this.#closed = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    // Waits one turn of the event loop, so that batches that arrive together share a commit.
    await nextTurn();
    try {
      await this.#allowed;
    } catch (error) {
      this.#failure = error;
      this.#giveUp(this.#waiting.splice(0), error);
    }
    while (this.#waiting.length > 0) {
      await this.#commitGroup();
      await nextTurn();
    }
    this.#working = undefined;
    this.onIdle?.();
  }

  async #commitGroup(): Promise<void> {
    const done: (() => void)[] = [];
    const group: Write[] = [];
    try {
      await this.#lock();
      const startedAtMs = performance.now();
      let bytes = 0;
      do {
        const write = this.#waiting.shift() as Write;
        group.push(write);
        done.push(this.#runAlone(write));
        bytes += write.bytes;
      } while (
        this.#waiting.length > 0 &&
        bytes < GROUP_BYTES_MAX &&
        performance.now() - startedAtMs < GROUP_MS_MAX
      );
      this.#database.exec("COMMIT");
      const syncing = this.#requireDurable(group);
      const changes = this.#changes.splice(0);
      if (changes.length > 0) this.onChanges?.(changes);
      await syncing;
    } catch (error) {
      this.#giveUp(group.length > 0 ? group : this.#waiting.splice(0), error);
      return;
    }
    for (const resolve of done) resolve();
    this.onCommit?.();
  }

  async #requireDurable(group: readonly Write[]): Promise<void> {
    try {
      if (group.some(({ isSynced }) => isSynced)) await this.#files.sync();
      this.#files.check();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async #lock(): Promise<void> {
    const startedAtMs = performance.now();
    for (;;) {
      try {
        this.#database.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() - startedAtMs > LOCK_WAIT_MS_MAX) throw error;
      }
      await delay(LOCK_RETRY_MS);
    }
  }

  /** Returns how to notify the caller, which for success must wait for COMMIT. */
  #runAlone({ run, fulfil, reject }: Write): () => void {
    this.#database.exec("SAVEPOINT one_write");
    const changes = this.#changes.length;
    try {
      const answer = run();
      this.#database.exec("RELEASE one_write");
      return () => fulfil(answer);
    } catch (error) {
      // Some errors, such as a full disk, have already rolled back the transaction.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec("ROLLBACK TO one_write; RELEASE one_write");
      this.#changes.length = changes;
      return () => reject(storeError(error, "write to the store"));
    }
  }

  #giveUp(group: readonly Write[], error: unknown): void {
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    this.#changes = [];
    // After a failed sync the state on disk is unknown until the file is reopened.
    if (isFailedSync(error)) this.#failure = error;
    for (const { reject } of group) reject(storeError(error, "write to the store"));
    if (this.#failure === undefined) return;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#refusal());
  }

  #refusal(): UserError {
    if (this.#failure instanceof UserError) return this.#failure;
    const why = this.#closing ? "it is closed" : "the disk failed before; restart to check it";
    return new UserError("store-unusable", `cannot write to the store: ${why}`, {
      cause: this.#failure,
    });
  }
}
