/** Seals load tests that came to rest, one after the other. */

import { UserError } from "../../model/errors.ts";
import type { StoredLoadTest } from "./facts.ts";
import type { Heads } from "./head.ts";
import type { HousekeepingLog } from "./housekeeping.ts";
import type { ClickHouseParts } from "./parts.ts";
import { sealAtMs } from "./quiet.ts";
import { isSealed, type Sealer } from "./sealer.ts";
import type { StoredSource } from "./sources.ts";
import { contentsDigest } from "./visible.ts";

/** Load tests that are looked at together. */
const AT_ONCE = 100;

/** After a failure, which may be damage that stays. */
const AFTER_FAILURE_MS = 60 * 60_000;

export class QuietSealer {
  readonly #parts: ClickHouseParts;
  readonly #sealer: Sealer;
  readonly #log: HousekeepingLog;
  /** Load tests by id, and when to look at them. */
  readonly #nextLook = new Map<string, number>();

  constructor(parts: ClickHouseParts, sealer: Sealer, log: HousekeepingLog) {
    this.#parts = parts;
    this.#sealer = sealer;
    this.#log = log;
  }

  /** Has all load tests looked at, or those that have no copy. */
  async noteAll(which: "all" | "unsealed"): Promise<void> {
    for (const [loadTestId, { stored }] of await this.#parts.facts.all()) {
      const isWanted = which === "all" || stored?.seal === undefined;
      if (stored !== undefined && isWanted) this.#note(loadTestId);
    }
  }

  /** Seals what is due of what this process has written to, and of what was noted. */
  async look(signal: AbortSignal): Promise<void> {
    const { touched, facts, nowMs } = this.#parts;
    for (const loadTestId of touched) this.#nextLook.set(loadTestId, 0);
    touched.clear();
    const due = [...this.#nextLook].filter(([, atMs]) => atMs <= nowMs()).map(([id]) => id);
    for (let at = 0; at < due.length && !signal.aborted; at += AT_ONCE) {
      const ids = due.slice(at, at + AT_ONCE);
      const standings = await Promise.all(ids.map((id) => facts.standing(id)));
      for (const id of ids) this.#nextLook.delete(id);
      await this.#sealDue(
        standings.flatMap(({ stored }) => stored ?? []),
        signal,
      );
    }
  }

  #note(loadTestId: string): void {
    if (!this.#nextLook.has(loadTestId)) this.#nextLook.set(loadTestId, 0);
  }

  async #sealDue(all: readonly StoredLoadTest[], signal: AbortSignal): Promise<void> {
    const byShard = Map.groupBy(all, ({ place }) => place.shard);
    for (const own of byShard.values()) {
      const heads = await this.#headsOf(own, signal);
      for (const [stored, { node, byId }] of heads) {
        if (signal.aborted) return;
        const sources = byId.get(stored.place.loadTestId)?.sources ?? [];
        const isDue = this.#isDue(stored, sources);
        const digest = contentsDigest(sources);
        if (!isDue || (await isSealed(this.#parts, stored, { digest, node }))) continue;
        await this.#seal(stored.place.loadTestId, signal);
      }
    }
  }

  /** Of load tests of one shard. One that cannot be read does not keep the others from being looked at. */
  async #headsOf(
    own: readonly StoredLoadTest[],
    signal: AbortSignal,
  ): Promise<readonly (readonly [StoredLoadTest, Heads])[]> {
    const [first] = own;
    if (first === undefined || signal.aborted) return [];
    const { writers, nowMs } = this.#parts;
    try {
      const heads = await writers.of(first.place).heads(own.map(({ place }) => place));
      return own.map((stored) => [stored, heads] as const);
    } catch (error) {
      const isAway = error instanceof UserError && error.code === "store-unreachable";
      if (own.length === 1 || isAway) {
        const againAtMs = nowMs() + AFTER_FAILURE_MS;
        for (const { place } of own) this.#nextLook.set(place.loadTestId, againAtMs);
        this.#log.failed("sealing_failed", error);
        return [];
      }
    }
    const middle = Math.ceil(own.length / 2);
    const heads = await this.#headsOf(own.slice(0, middle), signal);
    return [...heads, ...(await this.#headsOf(own.slice(middle), signal))];
  }

  #isDue(stored: StoredLoadTest, sources: readonly StoredSource[]): boolean {
    const atMs = sealAtMs(stored, sources);
    const isLater = atMs !== undefined && atMs > this.#parts.nowMs();
    if (isLater) this.#nextLook.set(stored.place.loadTestId, atMs);
    return atMs !== undefined && !isLater;
  }

  async #seal(loadTestId: string, signal: AbortSignal): Promise<void> {
    const { nowMs } = this.#parts;
    const begunAtMs = nowMs();
    try {
      const outcome = await this.#sealer.seal(loadTestId, signal);
      if (outcome === "elsewhere" || outcome === "changed") this.#note(loadTestId);
      if (outcome !== "sealed") return;
      this.#log.done("load_test_sealed", { loadTestId, elapsedMs: nowMs() - begunAtMs });
    } catch (error) {
      if (signal.aborted) return;
      // It may have been deleted meanwhile.
      if (error instanceof UserError && error.code === "unknown-load-test") return;
      this.#nextLook.set(loadTestId, nowMs() + AFTER_FAILURE_MS);
      this.#log.failed("sealing_failed", error);
    }
  }
}
