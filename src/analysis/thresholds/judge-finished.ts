import { FAILED_TAG, PASSED_TAG, verdictIn } from "../../catalogue/baseline.ts";
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

export interface JudgeDependencies {
  readonly store: Pick<Store, "loadTests" | "version">;
  /** See `readVerdict`. */
  readonly verdictOf: (loadTestId: string) => Promise<VerdictJson>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when a recent load test gets `FAILED_TAG`. */
  readonly onFailed: (loadTest: LoadTestSummary, verdict: VerdictJson) => void;
  /** Called with the error of one load test; it is not judged again until it has new data. */
  readonly failed: (loadTestId: string, error: UserError) => void;
}

/** Tags load tests with the verdict of their thresholds once they are finished, and again after new data. */
export class FinishedJudge {
  readonly #dependencies: JudgeDependencies;
  /** `lastDataAtMs` of judged load tests. */
  readonly #judged = new Map<string, number>();
  #version: unknown;
  #isWaiting = true;

  constructor(dependencies: JudgeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Lists load tests only if the store has changed, or one was not quiet yet. */
  async judge(): Promise<void> {
    const { store } = this.#dependencies;
    const version = store.version();
    if (!this.#isWaiting && version !== undefined && version === this.#version) return;
    [this.#version, this.#isWaiting] = [version, false];
    const all = await store.loadTests.list({ limit: LOAD_TESTS_MAX });
    const ids = new Set(all.map(({ id }) => id));
    for (const id of this.#judged.keys()) if (!ids.has(id)) this.#judged.delete(id);
    for (const loadTest of all) await this.#judgeOne(loadTest);
  }

  async #judgeOne(loadTest: LoadTestSummary): Promise<void> {
    const { id, lastDataAtMs, finishedAtMs } = loadTest;
    const { now, verdictOf, failed } = this.#dependencies;
    const quietMs = now() - (lastDataAtMs ?? 0);
    if (lastDataAtMs === undefined || quietMs > RECENT_MS) {
      this.#judged.delete(id);
      return;
    }
    const earlier = this.#judged.get(id);
    if (earlier === lastDataAtMs) return;
    if (finishedAtMs === undefined && quietMs < QUIET_MS) {
      this.#isWaiting = true;
      return;
    }
    this.#judged.set(id, lastDataAtMs);
    // Judged by an earlier process.
    if (earlier === undefined && verdictIn(loadTest) !== undefined) return;
    try {
      await this.#tag(loadTest, await verdictOf(id));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      failed(id, error);
    }
  }

  async #tag(loadTest: LoadTestSummary, verdict: VerdictJson): Promise<void> {
    if (verdict.thresholds.length === 0) return;
    const [tag, other] = verdict.fails ? [FAILED_TAG, PASSED_TAG] : [PASSED_TAG, FAILED_TAG];
    const { store, now, onFailed } = this.#dependencies;
    if (loadTest.tags.includes(tag) && !loadTest.tags.includes(other)) return;
    await store.loadTests.update(loadTest.id, { addedTags: [tag], removedTags: [other] });
    const isRecent = now() - (loadTest.until ?? 0) * 1000 <= RECENT_MS;
    if (verdict.fails && isRecent) onFailed(loadTest, verdict);
  }
}
