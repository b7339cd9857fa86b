import { randomUUID } from "node:crypto";
import { PASSED_TAG, verdictIn } from "../../catalogue/baseline.ts";
import { FAILED_TAG } from "../../model/load-test/attributes.ts";
import { UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { VerdictJson } from "../../api/thresholds.ts";
import type { Store } from "../../store/store.ts";
import { Leases } from "./leases.ts";

/** A load test that was not marked as finished counts as finished after this time without data. */
const QUIET_MS = 60_000;

/** Load tests without new data for this long are left alone; those with older requests (archives) are only tagged. */
const RECENT_MS = 24 * 60 * 60 * 1000;

/** Latest load tests that are looked at: listing ten thousand would block the event loop for long. */
const LOAD_TESTS_MAX = 1000;

/** Times that a load test is judged although the process ended before it was done. */
const ATTEMPTS_MAX = 3;

/** A process that has not said for this time that it judges a load test has ended. */
const LEASE_MS = 120_000;

/** Another process writes between a read and the write that depends on it. */
const WRITES_MAX = 50;

export interface JudgeDependencies {
  readonly store: Pick<Store, "loadTests" | "thresholds" | "judgeNotes" | "version">;
  /** See `readVerdict`. */
  readonly verdictOf: (loadTestId: string) => Promise<VerdictJson>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic. */
  readonly clockMs: () => number;
  /** Called when a recent load test gets `FAILED_TAG`; resolves when its notices are posted or given up. */
  readonly onFailed: (loadTest: LoadTestSummary, verdict: VerdictJson) => Promise<void>;
  /** Whether a finished load test has all that is to be judged; it is asked again until it has. */
  readonly isReady: (loadTest: LoadTestSummary) => Promise<boolean>;
  /** Called with why a load test is not judged; it is not judged again until it has new data. */
  readonly failed: (loadTestId: string, reason: string) => void;
}

/** Stored before a load test is judged, and kept while it is among the latest. */
interface Note {
  readonly lastDataAtMs: number;
  /** 0: it is judged, and its notices are posted. */
  readonly attempts: number;
  /** The process that does so, until then unless it goes on. */
  readonly by?: string;
  readonly untilMs?: number;
}

type Notes = Map<string, Note>;

interface Quiet {
  readonly lastDataAtMs: number;
  readonly sinceMs: number;
}

interface Claim {
  /** How often it was begun for the same data and not settled, apart from attempts of this process. */
  readonly attempts: number;
  /** Whether it was: its tag may be there without a notice. */
  readonly isAgain: boolean;
}

/**
 * Tags load tests with the verdict of their thresholds once they are finished, and again after new data. Of several processes, one judges a
 * load test. If it stops midway, the next one judges again, but only a few times: the judging may be what stopped it.
 */
export class FinishedJudge {
  readonly #dependencies: JudgeDependencies;
  /** `lastDataAtMs` of judged load tests. */
  readonly #judged = new Map<string, number>();
  /** Since when load tests have had no data, by the monotonic clock. */
  readonly #quiet = new Map<string, Quiet>();
  #lookedAtMs = -Infinity;
  readonly #leases: Leases;
  readonly #process = randomUUID();
  /** By id, as last read. */
  #notes: Notes = new Map();
  /** The load test whose verdict is being read. */
  #judging: string | undefined;
  /** Notices under way, by id. */
  readonly #posting = new Map<string, Promise<unknown>>();
  #version: unknown;
  #isWaiting = true;

  constructor(dependencies: JudgeDependencies) {
    this.#dependencies = dependencies;
    this.#leases = new Leases({ ...dependencies, lastsMs: LEASE_MS });
  }

  /** Lists load tests only if the store has changed, or one was not quiet yet. Throws the first error at the end; what may pass is tried again. */
  async judge(): Promise<void> {
    const beganMs = this.#dependencies.clockMs();
    await this.#judgeAll();
    this.#lookedAtMs = beganMs;
  }

  async #judgeAll(): Promise<void> {
    const { store } = this.#dependencies;
    await this.#change((notes) => this.#renew(notes));
    const version = await store.version();
    if (!this.#isWaiting && version !== undefined && version === this.#version) return;
    const all = await store.loadTests.list({ limit: LOAD_TESTS_MAX });
    [this.#version, this.#isWaiting] = [version, false];
    const ids = new Set(all.map(({ id }) => id));
    for (const id of this.#judged.keys()) if (!ids.has(id)) this.#judged.delete(id);
    for (const id of this.#quiet.keys()) if (!ids.has(id)) this.#quiet.delete(id);
    this.#leases.forgetOthers(ids);
    for (const id of this.#notes.keys()) if (!ids.has(id)) await this.#forget(id);
    const errors: unknown[] = [];
    for (const loadTest of all) {
      await this.#judgeOne(loadTest).catch((error: unknown) => errors.push(error));
    }
    if (errors.length === 0) return;
    this.#isWaiting = true;
    throw errors[0];
  }

  /** Waits until the notices are posted or given up. */
  async settle(): Promise<void> {
    await Promise.all(this.#posting.values());
  }

  async #judgeOne(loadTest: LoadTestSummary): Promise<void> {
    const { id, lastDataAtMs = 0 } = loadTest;
    const { failed, isReady } = this.#dependencies;
    const isFirst = !this.#judged.has(id);
    if (!(await this.#isDue(loadTest))) return;
    const earlier = this.#notes.get(id);
    const isWanted = await this.#isWanted(loadTest, isFirst && earlier === undefined);
    if (isWanted && !(await isReady(loadTest))) {
      this.#isWaiting = true;
      return;
    }
    const claim = isWanted ? await this.#claim(id, lastDataAtMs) : undefined;
    if (isWanted && claim === undefined) {
      this.#isWaiting = true;
      return;
    }
    this.#judged.set(id, lastDataAtMs);
    if (claim === undefined) return;
    if (claim.attempts >= ATTEMPTS_MAX) {
      const reason = "before it was judged and notices were sent";
      failed(id, `the server has ended ${claim.attempts} times ${reason}`);
      return;
    }
    await this.#begin(loadTest, claim.isAgain);
  }

  /** `isUnknown`: an earlier process may have judged it. */
  async #isWanted(loadTest: LoadTestSummary, isUnknown: boolean): Promise<boolean> {
    if (isUnknown && verdictIn(loadTest) !== undefined) return false;
    return (await this.#dependencies.store.thresholds.find(loadTest.name)) !== undefined;
  }

  /** `isAgain`: whether an earlier process may have added the tag and not posted the notices. */
  async #begin(loadTest: LoadTestSummary, isAgain: boolean): Promise<void> {
    const { id, lastDataAtMs = 0 } = loadTest;
    const { store, verdictOf, failed } = this.#dependencies;
    try {
      const verdict = await this.#whileRenewed(id, () => verdictOf(id));
      if (!(await this.#change((notes) => this.#renewOwn(notes, [id])))) {
        // Another process took it over, as this one stood still.
        this.#judged.delete(id);
        this.#isWaiting = true;
        return;
      }
      // Another process may have judged it since it was listed.
      const present = (await store.loadTests.find(id)) ?? loadTest;
      await this.#tag({ ...present, lastDataAtMs }, verdict, isAgain);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.kind === "unavailable") {
        // The note says that it is to be judged, whatever its tags.
        this.#judged.delete(id);
        throw error;
      }
      failed(id, error.message);
      // What it is tagged with is the verdict of earlier data.
      const isTagged = verdictIn(loadTest) !== undefined && error.code !== "unknown-load-test";
      if (isTagged) await store.loadTests.update(id, { removedTags: [FAILED_TAG, PASSED_TAG] });
      await this.#forget(id);
    }
  }

  /** Whether it is recent, finished and has new data. */
  async #isDue({ id, lastDataAtMs, finishedAtMs }: LoadTestSummary): Promise<boolean> {
    const quietMs = this.#quietMs(id, lastDataAtMs ?? 0);
    if (lastDataAtMs === undefined) {
      this.#judged.delete(id);
      return false;
    }
    const note = this.#notes.get(id);
    const isOld = quietMs > RECENT_MS;
    if (isOld && note !== undefined && note.attempts > 0) await this.#forget(id);
    if (isOld || isSettled(note, lastDataAtMs)) this.#judged.set(id, lastDataAtMs);
    if (this.#judged.get(id) === lastDataAtMs) return false;
    const isFinished = finishedAtMs !== undefined || quietMs >= QUIET_MS;
    this.#isWaiting ||= !isFinished;
    return isFinished;
  }

  /** How long it has had no data. What is new came since the last look, wherever the clock was set meanwhile. */
  #quietMs(id: string, lastDataAtMs: number): number {
    const { now, clockMs } = this.#dependencies;
    const known = this.#quiet.get(id);
    if (known?.lastDataAtMs === lastDataAtMs) return clockMs() - known.sinceMs;
    const quietMs = Math.max(0, Math.min(now() - lastDataAtMs, clockMs() - this.#lookedAtMs));
    this.#quiet.set(id, { lastDataAtMs, sinceMs: clockMs() - quietMs });
    return quietMs;
  }

  async #tag(loadTest: LoadTestSummary, verdict: VerdictJson, isAgain: boolean): Promise<void> {
    const { id, tags, until, lastDataAtMs = 0 } = loadTest;
    const { store, now, onFailed } = this.#dependencies;
    const addedTags = tagsOf(verdict).filter((tag) => !tags.includes(tag));
    const removedTags = [FAILED_TAG, PASSED_TAG].filter(
      (tag) => tags.includes(tag) && !tagsOf(verdict).includes(tag),
    );
    const isTagged = verdict.checked === 0 || addedTags.length + removedTags.length === 0;
    if (!isTagged) await store.loadTests.update(id, { addedTags, removedTags });
    const isRecent = now() - (until ?? 0) * 1000 <= RECENT_MS;
    const isNews = verdict.fails && isRecent && (!isTagged || isAgain);
    const posted = isNews ? onFailed(loadTest, verdict) : Promise.resolve();
    const earlier = this.#posting.get(id) ?? posted;
    const ended: Promise<void> = Promise.all([earlier, posted]).then(() =>
      this.#end(id, lastDataAtMs, ended),
    );
    this.#posting.set(id, ended);
  }

  /** Never rejects. */
  async #end(id: string, lastDataAtMs: number, ended: Promise<void>): Promise<void> {
    // Otherwise it was judged again meanwhile.
    if (this.#posting.get(id) !== ended) return;
    // If the note stays, the notice comes once more after a restart.
    await this.#settled(id, lastDataAtMs).catch(() => undefined);
    if (this.#posting.get(id) === ended) this.#posting.delete(id);
  }

  /** Notes that this process judges a load test; `undefined` if another one does or did. */
  async #claim(id: string, lastDataAtMs: number): Promise<Claim | undefined> {
    let claim: Claim | undefined;
    await this.#change((notes) => {
      claim = undefined;
      const present = notes.get(id);
      if (this.#isElsewhere(id, present) || isSettled(present, lastDataAtMs)) return false;
      const isAgain = present?.lastDataAtMs === lastDataAtMs;
      // An attempt of this process failed as the store was away.
      const failedHere = present?.by === this.#process ? 1 : 0;
      const attempts = isAgain ? present.attempts - failedHere : 0;
      claim = { attempts, isAgain };
      if (attempts >= ATTEMPTS_MAX) return false;
      this.#renew(notes);
      notes.set(id, { lastDataAtMs, attempts: attempts + 1, ...this.#lease() });
      return true;
    });
    return claim;
  }

  /** Notes which data were judged, so that the next process notices newer ones. */
  async #settled(id: string, lastDataAtMs: number): Promise<void> {
    await this.#change((notes) => {
      const note = notes.get(id);
      if (note?.lastDataAtMs !== lastDataAtMs || this.#isElsewhere(id, note)) return false;
      notes.set(id, { lastDataAtMs, attempts: 0 });
      return true;
    });
  }

  async #forget(id: string): Promise<void> {
    await this.#change((notes) => !this.#isElsewhere(id, notes.get(id)) && notes.delete(id));
  }

  #isElsewhere(id: string, note: Partial<Note> = {}): boolean {
    return note.by !== this.#process && this.#leases.isHeld(id, note);
  }

  #lease(): Pick<Note, "by" | "untilMs"> {
    return { by: this.#process, untilMs: this.#dependencies.now() + LEASE_MS };
  }

  /** Says meanwhile that this process judges a load test. */
  async #whileRenewed<Value>(id: string, read: () => Promise<Value>): Promise<Value> {
    this.#judging = id;
    const renewal = setInterval(() => {
      this.#change((notes) => this.#renew(notes)).catch(() => undefined);
    }, LEASE_MS / 4);
    try {
      return await read();
    } finally {
      clearInterval(renewal);
      this.#judging = undefined;
    }
  }

  /** Says that what this process judges and posts is still under way. */
  #renew(notes: Notes): boolean {
    return this.#renewOwn(notes, [...this.#posting.keys(), this.#judging ?? []].flat());
  }

  /** Returns whether any of them is judged or posted by this process. */
  #renewOwn(notes: Notes, ids: readonly string[]): boolean {
    const own = ids.flatMap((id) => {
      const note = notes.get(id);
      return note?.by === this.#process ? [[id, note] as const] : [];
    });
    for (const [id, note] of own) notes.set(id, { ...note, ...this.#lease() });
    return own.length > 0;
  }

  /** Reads the notes, and writes them if `change` returns `true`. Returns what it returned. Throws `busy`. */
  async #change(change: (notes: Notes) => boolean): Promise<boolean> {
    const { judgeNotes } = this.#dependencies.store;
    for (let attempt = 0; attempt < WRITES_MAX; attempt++) {
      const present = await judgeNotes.find();
      const notes: Notes = new Map(
        present === undefined ? [] : (JSON.parse(present) as [string, Note][]),
      );
      this.#notes = notes;
      if (!change(notes)) return false;
      if (await judgeNotes.replace(present, JSON.stringify([...notes]))) return true;
    }
    const reason = `others wrote before each of ${WRITES_MAX} attempts`;
    throw new UserError("busy", `cannot note which load tests are judged: ${reason}`);
  }
}

function isSettled(note: Note | undefined, lastDataAtMs: number): boolean {
  return note?.attempts === 0 && note.lastDataAtMs === lastDataAtMs;
}

/** None if a check has no verdict. */
function tagsOf({ fails, checked, judged }: VerdictJson): readonly string[] {
  if (fails) return [FAILED_TAG];
  return judged === checked ? [PASSED_TAG] : [];
}
