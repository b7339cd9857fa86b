import { PASSED_TAG, verdictIn } from "../../catalogue/baseline.ts";
import { FAILED_TAG } from "../../model/load-test/attributes.ts";
import { UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { VerdictJson } from "../../api/thresholds.ts";
import type { Store } from "../../store/store.ts";

/** A load test that was not marked as finished counts as finished after this time without data. */
const QUIET_MS = 60_000;

/** Load tests without new data for this long are left alone; those with older requests (archives) are only tagged. */
const RECENT_MS = 24 * 60 * 60 * 1000;

/** Latest load tests that are looked at: listing ten thousand would block the event loop for long. */
const LOAD_TESTS_MAX = 1000;

/** Times that a load test is judged although the process ended before it was done. */
const ATTEMPTS_MAX = 3;

export interface JudgeDependencies {
  readonly store: Pick<Store, "loadTests" | "thresholds" | "judgeNotes" | "version">;
  /** See `readVerdict`. */
  readonly verdictOf: (loadTestId: string) => Promise<VerdictJson>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when a recent load test gets `FAILED_TAG`; resolves when its notices are posted or given up. */
  readonly onFailed: (loadTest: LoadTestSummary, verdict: VerdictJson) => Promise<void>;
  /** Whether a finished load test has all that is to be judged; it is asked again until it has. */
  readonly isReady: (loadTest: LoadTestSummary) => Promise<boolean>;
  /** Called with why a load test is not judged; it is not judged again until it has new data. */
  readonly failed: (loadTestId: string, reason: string) => void;
}

/** Stored before a load test is judged and removed once its notices are posted. */
interface Unsettled {
  readonly lastDataAtMs: number;
  readonly attempts: number;
}

/**
 * Tags load tests with the verdict of their thresholds once they are finished, and again after new data. If a process
 * stops midway, the next one judges again, but only a few times: the judging may be what stopped it.
 */
export class FinishedJudge {
  readonly #dependencies: JudgeDependencies;
  /** `lastDataAtMs` of judged load tests. */
  readonly #judged = new Map<string, number>();
  /** By id; `undefined` until it is read. */
  #unsettled: Map<string, Unsettled> | undefined;
  /** Notices under way, by id. */
  readonly #posting = new Map<string, Promise<unknown>>();
  #version: unknown;
  #isWaiting = true;

  constructor(dependencies: JudgeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Lists load tests only if the store has changed, or one was not quiet yet. Throws the first error at the end; what may pass is tried again. */
  async judge(): Promise<void> {
    const { store } = this.#dependencies;
    const version = await store.version();
    if (!this.#isWaiting && version !== undefined && version === this.#version) return;
    const all = await store.loadTests.list({ limit: LOAD_TESTS_MAX });
    [this.#version, this.#isWaiting] = [version, false];
    const ids = new Set(all.map(({ id }) => id));
    for (const id of this.#judged.keys()) if (!ids.has(id)) this.#judged.delete(id);
    this.#unsettled ??= await this.#readUnsettled();
    for (const id of this.#unsettled.keys()) if (!ids.has(id)) await this.#note(id, undefined);
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
    const earlier = this.#unsettled?.get(id);
    const isWanted = await this.#isWanted(loadTest, isFirst && earlier === undefined);
    if (isWanted && !(await isReady(loadTest))) {
      this.#isWaiting = true;
      return;
    }
    this.#judged.set(id, lastDataAtMs);
    if (!isWanted) return;
    const attempts = earlier?.lastDataAtMs === lastDataAtMs ? earlier.attempts : 0;
    if (attempts >= ATTEMPTS_MAX) {
      const reason = "before it was judged and notices were sent";
      failed(id, `the server has ended ${attempts} times ${reason}`);
      return;
    }
    await this.#note(id, { lastDataAtMs, attempts: attempts + 1 });
    await this.#begin(loadTest, isFirst && attempts > 0);
  }

  /** `isUnknown`: an earlier process may have judged it. */
  async #isWanted(loadTest: LoadTestSummary, isUnknown: boolean): Promise<boolean> {
    if (isUnknown && verdictIn(loadTest) !== undefined) return false;
    return (await this.#dependencies.store.thresholds.find(loadTest.name)) !== undefined;
  }

  /** `isAgain`: whether an earlier process may have added the tag and not posted the notices. */
  async #begin(loadTest: LoadTestSummary, isAgain: boolean): Promise<void> {
    const { id } = loadTest;
    const { verdictOf, failed } = this.#dependencies;
    try {
      await this.#tag(loadTest, await verdictOf(id), isAgain);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.kind === "unavailable") {
        this.#judged.delete(id);
        // The note says that it is to be judged, whatever its tags.
        this.#unsettled?.set(id, { lastDataAtMs: loadTest.lastDataAtMs ?? 0, attempts: 1 });
        throw error;
      }
      failed(id, error.message);
      await this.#note(id, undefined);
    }
  }

  /** Whether it is recent, finished and has new data. */
  async #isDue({ id, lastDataAtMs, finishedAtMs }: LoadTestSummary): Promise<boolean> {
    const quietMs = this.#dependencies.now() - (lastDataAtMs ?? 0);
    if (lastDataAtMs === undefined || quietMs > RECENT_MS) {
      this.#judged.delete(id);
      if (this.#unsettled?.has(id)) await this.#note(id, undefined);
      return false;
    }
    if (this.#judged.get(id) === lastDataAtMs) return false;
    const isFinished = finishedAtMs !== undefined || quietMs >= QUIET_MS;
    this.#isWaiting ||= !isFinished;
    return isFinished;
  }

  async #tag(loadTest: LoadTestSummary, verdict: VerdictJson, isAgain: boolean): Promise<void> {
    const { id, tags, until } = loadTest;
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
    this.#posting.set(id, this.#endAfter(Promise.all([earlier, posted]), id));
  }

  /** Never rejects. */
  async #endAfter(notices: Promise<unknown>, id: string): Promise<void> {
    const attempts = this.#unsettled?.get(id);
    await notices;
    // Otherwise it was judged again meanwhile.
    if (this.#unsettled?.get(id) !== attempts) return;
    this.#posting.delete(id);
    // If the note stays, the notice comes once more after a restart.
    await this.#note(id, undefined).catch(() => undefined);
  }

  async #readUnsettled(): Promise<Map<string, Unsettled>> {
    const text = await this.#dependencies.store.judgeNotes.find();
    return new Map(text === undefined ? [] : (JSON.parse(text) as [string, Unsettled][]));
  }

  async #note(id: string, unsettled: Unsettled | undefined): Promise<void> {
    const all = this.#unsettled ?? new Map<string, Unsettled>();
    if (unsettled === undefined) all.delete(id);
    else all.set(id, unsettled);
    await this.#dependencies.store.judgeNotes.keep(
      all.size === 0 ? undefined : JSON.stringify([...all]),
    );
  }
}

/** None if a check has no verdict. */
function tagsOf({ fails, checked, judged }: VerdictJson): readonly string[] {
  if (fails) return [FAILED_TAG];
  return judged === checked ? [PASSED_TAG] : [];
}
