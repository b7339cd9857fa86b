import { UserError } from "../../../model/errors.ts";
import { chunksOf } from "../../../model/columns.ts";
import type { StoredLoadTest } from "../catalogue/attributes.ts";
import { type SourceManifests, sourcesIn } from "../read/source-manifest.ts";
import type { ClickHouseParts } from "../parts.ts";
import { type Compactor, isCompacted } from "./compactor.ts";
import type { StoredSource } from "../catalogue/sources.ts";
import { contentsDigest } from "../read/visible.ts";
import type { HousekeepingLog } from "../../store.ts";

/** Fewer points are merged faster than copies are looked up. */
const REQUESTS_MIN = 10_000;

/** Time after the last batch when a live sender counts as finished. */
const LIVE_QUIET_MS = 10 * 60_000;

/** The same for files, which are often imported in groups, and for finished load tests. */
const FINISHED_QUIET_MS = 60_000;

const AT_ONCE = 100;

/** Pause after a failure, which may be permanent damage. */
const AFTER_FAILURE_MS = 60 * 60_000;

export class QuietCompactor {
  readonly #parts: ClickHouseParts;
  readonly #compactor: Compactor;
  readonly #log: HousekeepingLog;
  /** Load tests by id, with the time of their next check. */
  readonly #nextLook = new Map<string, number>();

  constructor(parts: ClickHouseParts, compactor: Compactor, log: HousekeepingLog) {
    this.#parts = parts;
    this.#compactor = compactor;
    this.#log = log;
  }

  /** Schedules a check of all load tests, or of those without a copy. */
  async noteAll(which: "all" | "uncompacted"): Promise<void> {
    for (const [loadTestId, { stored }] of await this.#parts.attributes.all()) {
      const isWanted = which === "all" || stored?.compaction === undefined;
      if (stored !== undefined && isWanted) this.#note(loadTestId);
    }
  }

  /** Compacts due load tests that this process wrote or scheduled. */
  async look(signal: AbortSignal): Promise<void> {
    const { touched, attributes, nowMs } = this.#parts;
    for (const loadTestId of touched) this.#nextLook.set(loadTestId, 0);
    touched.clear();
    const due = [...this.#nextLook].filter(([, atMs]) => atMs <= nowMs()).map(([id]) => id);
    for (const ids of chunksOf(due, AT_ONCE)) {
      if (signal.aborted) return;
      const standings = await Promise.all(ids.map((id) => attributes.standing(id)));
      for (const id of ids) this.#nextLook.delete(id);
      await this.#compactDue(
        standings.flatMap(({ stored }) => stored ?? []),
        signal,
      );
    }
  }

  #note(loadTestId: string): void {
    if (!this.#nextLook.has(loadTestId)) this.#nextLook.set(loadTestId, 0);
  }

  async #compactDue(all: readonly StoredLoadTest[], signal: AbortSignal): Promise<void> {
    const byShard = Map.groupBy(all, ({ shardKey }) => shardKey.shard);
    for (const own of byShard.values()) {
      const manifests = await this.#manifestsOf(own, signal);
      for (const [stored, found] of manifests) {
        if (signal.aborted) return;
        const { node } = found;
        const sources = sourcesIn(found, stored.shardKey);
        const isDue = this.#isDue(stored, sources);
        const digest = contentsDigest(sources, stored);
        if (!isDue || (await isCompacted(this.#parts, stored, { digest, node }))) continue;
        await this.#compact(stored.shardKey.loadTestId, signal);
      }
    }
  }

  /** Checks load tests of one shard. An unreadable one does not block the others. */
  async #manifestsOf(
    own: readonly StoredLoadTest[],
    signal: AbortSignal,
  ): Promise<readonly (readonly [StoredLoadTest, SourceManifests])[]> {
    const [first] = own;
    if (first === undefined || signal.aborted) return [];
    const { writers, nowMs } = this.#parts;
    try {
      const manifests = await writers
        .of(first.shardKey)
        .manifests(own.map(({ shardKey }) => shardKey));
      return own.map((stored) => [stored, manifests] as const);
    } catch (error) {
      const isAway = error instanceof UserError && error.code === "store-unreachable";
      if (own.length === 1 || isAway) {
        const againAtMs = nowMs() + AFTER_FAILURE_MS;
        for (const { shardKey } of own) this.#nextLook.set(shardKey.loadTestId, againAtMs);
        this.#log.failed("sealing_failed", error);
        return [];
      }
    }
    const middle = Math.ceil(own.length / 2);
    const manifests = await this.#manifestsOf(own.slice(0, middle), signal);
    return [...manifests, ...(await this.#manifestsOf(own.slice(middle), signal))];
  }

  #isDue(stored: StoredLoadTest, sources: readonly StoredSource[]): boolean {
    const atMs = compactAtMs(stored, sources);
    const isLater = atMs !== undefined && atMs > this.#parts.nowMs();
    if (isLater) this.#nextLook.set(stored.shardKey.loadTestId, atMs);
    return atMs !== undefined && !isLater;
  }

  async #compact(loadTestId: string, signal: AbortSignal): Promise<void> {
    const { nowMs } = this.#parts;
    const startedAtMs = nowMs();
    try {
      const outcome = await this.#compactor.compact(loadTestId, signal);
      if (outcome === "elsewhere" || outcome === "changed") this.#note(loadTestId);
      if (outcome !== "compacted") return;
      this.#log.done("load_test_sealed", { loadTestId, elapsedMs: nowMs() - startedAtMs });
    } catch (error) {
      if (signal.aborted) return;
      // It may have been deleted meanwhile.
      if (error instanceof UserError && error.code === "unknown-load-test") return;
      this.#nextLook.set(loadTestId, nowMs() + AFTER_FAILURE_MS);
      this.#log.failed("sealing_failed", error);
    }
  }
}

/** Returns when to compact it; `undefined` if it needs no copy. */
export function compactAtMs(
  { loadTest }: Pick<StoredLoadTest, "loadTest">,
  sources: readonly StoredSource[],
): number | undefined {
  const visible = sources.filter(({ isVisible }) => isVisible);
  const requests = visible.reduce((sum, { batches }) => sum + (batches?.requests ?? 0), 0);
  if (requests < REQUESTS_MIN) return undefined;
  const isLive = visible.some(({ published }) => published === undefined);
  const isExpectingMore = isLive && loadTest.finishedAtMs === undefined;
  const lastMs = visible.reduce((last, source) => Math.max(last, shownAtMs(source)), 0);
  return lastMs + (isExpectingMore ? LIVE_QUIET_MS : FINISHED_QUIET_MS);
}

function shownAtMs({ published, batches }: StoredSource): number {
  return published?.storedAtMs ?? batches?.storedAtMs ?? 0;
}
