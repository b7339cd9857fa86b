/** Random schedules of operations, and two stores that execute them in parallel. */

import * as fc from "fast-check";
import type { MeasureTable } from "../../src/model/measures/measure-table.ts";
import { type StoredRole, STORED_ROLES } from "../../src/model/role.ts";
import { openMemoryStore } from "./memory-store/memory-store.ts";
import type { PointBatch, Store } from "../../src/store/store.ts";
import { answers, answersOf } from "./answers-of-store.ts";
import { batchOf, collect, published, sample, snapshotOf, endpointsOf } from "./batches.ts";
import { active, failure } from "./details.ts";
import { loadTest } from "./load-tests.ts";
import { failureTable, userTable } from "./plain-details.ts";
import { measureTable } from "./plain-measures.ts";
import { openCompactedStore, type CompactedStore } from "./compacted-store.ts";
import { temporaryDirectory } from "./store-directory.ts";
import type { Snapshot } from "../../src/store/snapshot.ts";

export const schedules = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 12, arbitrary: fc.constant("append") },
      { weight: 3, arbitrary: fc.constant("retry") },
      { weight: 4, arbitrary: fc.constantFrom("seal", "seal meanwhile", "hold") },
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          "publish",
          "withdraw",
          "reopen",
          "later",
          "collect garbage",
          "downsample",
          "update",
          "delete",
        ),
      },
    ),
    sourceId: fc.constantFrom("sender 1", "sender 2"),
    seed: fc.nat(30),
  }),
  { minLength: 5, maxLength: 50, size: "max" },
);

/** Few endpoints and seconds, so that batches overlap; some seconds are far away or unknown. */
export function batchOfSeed(sourceId: string, sequence: number, seed: number): PointBatch {
  const second = seed % 7 === 0 ? 0 : 1.79e9 + (seed % 5) + (seed % 11 === 0 ? 5000 : 0);
  const samples = Array.from({ length: seed % 6 }, (_, index) =>
    sample(`label ${(seed * (index + 3)) % 40}`, second, 900 * seed + index),
  );
  const failures = failureTable([failure(0, `50${seed % 4}`, second, 1 + seed)]);
  const users = userTable([active(`host ${seed % 2}`, 1 + second, seed)]);
  const batch = batchOf(samples, {
    sourceId,
    sequence,
    ...(seed % 3 === 0 && samples.length > 0 ? { failures } : {}),
    ...(seed % 4 === 0 ? { users } : {}),
    ...(seed % 3 === 1 ? { measures: measuresOfSeed(second, seed) } : {}),
  });
  const roles = batch.labels.map(
    (_, label) => STORED_ROLES[(seed + label) % STORED_ROLES.length] as StoredRole,
  );
  return seed % 5 === 0 ? batch : { ...batch, roles };
}

function measuresOfSeed(second: number, seed: number): MeasureTable {
  const kinds = ["counter", "gauge", "rate", "distribution"] as const;
  return measureTable(
    kinds.slice(seed % 4).map((kind) => ({
      series: { label: undefined, name: `m${seed % 5}`, unit: "ms", kind, tags: [] },
      unixMillis: second * 1000 + seed,
      nanos: kind === "rate" ? 10n ** 9n : BigInt(seed) * 100_000_000n,
    })),
  );
}

/** Runs the same steps on the store that compacts and on the memory store, the reference. */
export class ComparedStores {
  /** Actual and expected values. The test compares and removes them. */
  readonly compared: [found: unknown, wanted: unknown][] = [];
  readonly #directory = temporaryDirectory();
  readonly #oracle = openMemoryStore();
  #nowMs = 5_000_000;
  readonly #isBeside: boolean;
  #store: CompactedStore;
  readonly #sent: PointBatch[] = [];
  readonly #withdrawn: string[] = [];
  readonly #held: { readonly snapshot: Snapshot; readonly expected: unknown }[] = [];

  /** With `isBeside`, a second thread compacts and checkpoints. */
  constructor({ isBeside }: { readonly isBeside: boolean }) {
    this.#isBeside = isBeside;
    this.#store = this.#open();
  }

  async begin(): Promise<void> {
    for (const { loadTests } of [this.#store, this.#oracle]) await loadTests.create(loadTest());
  }

  async take(what: string, planned: PointBatch): Promise<void> {
    const withdrawn = this.#withdrawn.filter((sourceId) => sourceId === planned.sourceId).length;
    // A withdrawn source takes no more batches, so its writer starts a new one.
    const sourceId = withdrawn === 0 ? planned.sourceId : `${planned.sourceId}, ${withdrawn}`;
    await this.#take(what, { ...planned, sourceId });
    if (what === "withdraw") this.#withdrawn.push(planned.sourceId);
    if (what === "delete") this.#withdrawn.length = 0;
    // Between two reads there may be several changes.
    if (planned.sequence % 3 !== 0) return;
    this.compared.push([await answersOf(this.#store), await answersOf(this.#oracle)]);
  }

  async end(): Promise<void> {
    for (const { snapshot, expected } of this.#held) {
      this.compared.push([await answers(snapshot), expected]);
      snapshot.release();
    }
    this.#nowMs += 61_000;
    await this.#store.compact();
    this.compared.push([await answersOf(this.#store), await answersOf(this.#oracle)]);
    const [summary] = await this.#store.loadTests.list();
    const [expected] = await this.#oracle.loadTests.list();
    const found = { ...summary, lastDataAtMs: 0 };
    this.compared.push([found, { ...expected, lastDataAtMs: 0 }]);
    this.compared.push([await collect(this.#store.verify()), []]);
    await this.#store.close();
  }

  #open() {
    return openCompactedStore(this.#directory, {
      now: () => this.#nowMs,
      runsCompacted: 3,
      isBeside: this.#isBeside,
      logPages: 40,
    });
  }

  async #take(what: string, next: PointBatch): Promise<void> {
    switch (what) {
      case "append":
        this.#sent.push(next);
        return this.#both(({ points }) => points.append(next));
      case "retry": {
        const again = this.#sent.at(next.sequence / 2);
        return this.#both(async ({ points }) => again && points.append(again));
      }
      case "publish": {
        const sourceId = `file ${next.sequence}`;
        const staged = { ...next, sourceId, sequence: 0, visibility: "staged" } as const;
        await this.#both(({ points }) => points.append(staged));
        return this.#both(({ points }) => points.publish(published(sourceId)));
      }
      case "hold": {
        const snapshot = await snapshotOf(this.#store);
        snapshot.expectTotals?.();
        // Loads the list of blocks, which is otherwise read on first access and could be outdated by then.
        await endpointsOf(snapshot);
        this.#held.push({ snapshot, expected: await answersOf(this.#oracle) });
        return;
      }
      case "seal":
        return this.#store.compact();
      case "seal meanwhile":
        return this.#store.compactor.sweep();
      case "collect garbage":
        return this.#store.snapshots.collectGarbage();
      case "later":
        this.#nowMs += 61_000;
        return;
      case "reopen":
        for (const { snapshot } of this.#held.splice(0)) snapshot.release();
        await this.#store.close();
        this.#store = this.#open();
        return;
      default:
        return this.#changeRun(what, next);
    }
  }

  async #changeRun(what: string, { sequence, sourceId }: PointBatch): Promise<void> {
    if (what === "delete") this.#sent.length = 0;
    await this.#both(async ({ loadTests, points }) => {
      if (what === "withdraw") await points.withdraw("run", sourceId);
      else if (what === "update") await loadTests.update("run", { tags: [`tag ${sequence}`] });
      // Merging may have been faster with some blocks.
      else if (what === "downsample") while (!(await points.downsample("run")));
      else if (what === "delete") {
        await loadTests.delete("run");
        await loadTests.create(loadTest());
      } else throw new Error(`no step is called ${what}`);
    });
  }

  async #both(
    run: (store: Pick<Store, "loadTests" | "points">) => Promise<unknown>,
  ): Promise<void> {
    this.compared.push([
      withoutRevisions(await run(this.#store)),
      withoutRevisions(await run(this.#oracle)),
    ]);
  }
}

/** Each store numbers its revisions in its own way. */
function withoutRevisions(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || !("revisions" in answer)) return answer;
  const { revisions: _, ...rest } = answer;
  return rest;
}
