import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { Sweeper } from "../../../src/store/clickhouse/compaction/sweeper.ts";
import { openMemoryStore } from "../../support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { answers, answersOf } from "../../support/answers-of-store.ts";
import { published, snapshotOf } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { PartsForTest } from "./opened-parts.ts";
import type { Snapshot } from "../../../src/store/snapshot.ts";

const HOUR_MS = 3_600_000;

/**
 * A store that compacts and sweeps, and the memory store as its oracle, driven through the same steps.
 */
export class CompactionSchedule {
  /** The found and the expected state. */
  readonly compared: [found: unknown, wanted: unknown][] = [];
  readonly #opened: PartsForTest;
  readonly #oracle = openMemoryStore();
  readonly #compactor: Compactor;
  readonly #sweeper: Sweeper;
  readonly #sent: PointBatch[] = [];
  readonly #withdrawn: string[] = [];
  #held: { readonly snapshot: Snapshot; readonly expected: unknown }[] = [];

  private constructor(opened: PartsForTest) {
    this.#opened = opened;
    this.#compactor = new Compactor(opened.parts);
    this.#sweeper = new Sweeper(opened.parts);
  }

  static async begin(opened: PartsForTest): Promise<CompactionSchedule> {
    const schedule = new CompactionSchedule(opened);
    for (const { loadTests } of [opened.store, schedule.#oracle]) {
      await loadTests.create(loadTest());
    }
    return schedule;
  }

  async take(what: string, planned: PointBatch): Promise<void> {
    const withdrawn = this.#withdrawn.filter((sourceId) => sourceId === planned.sourceId).length;
    // A withdrawn source accepts no further batch, so its writer starts another one.
    const sourceId = withdrawn === 0 ? planned.sourceId : `${planned.sourceId}, ${withdrawn}`;
    await this.#take(what, { ...planned, sourceId });
    if (what === "withdraw") this.#withdrawn.push(planned.sourceId);
    await this.#compare();
  }

  async end(): Promise<void> {
    await this.#compactor.compact("run");
    await this.#sweep();
    await this.#compare();
  }

  async #compare(): Promise<void> {
    this.compared.push([await answersOf(this.#opened.store), await answersOf(this.#oracle)]);
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
      case "withdraw":
        return this.#both(({ points }) => points.withdraw("run", next.sourceId));
      case "publish": {
        const sourceId = `file ${next.sequence}`;
        const staged = { ...next, sourceId, sequence: 0, visibility: "staged" } as const;
        await this.#both(({ points }) => points.append(staged));
        return this.#both(({ points }) => points.publish(published(sourceId)));
      }
      case "hold": {
        const snapshot = await snapshotOf(this.#opened.store);
        this.#held.push({ snapshot, expected: await answersOf(this.#oracle) });
        return;
      }
      case "seal":
        await this.#compactor.compact("run");
        return;
      case "seal meanwhile":
        this.#sent.push(next);
        await Promise.all([
          this.#compactor.compact("run"),
          this.#both(({ points }) => points.append(next)),
        ]);
        return;
      default:
        return this.#sweep();
    }
  }

  /** Readers of the first pass have finished at the second. */
  async #sweep(): Promise<void> {
    await this.#sweeper.pass();
    for (const { snapshot, expected } of this.#held) {
      this.compared.push([await answers(snapshot), expected]);
      snapshot.release();
    }
    this.#held = [];
    this.#opened.pass(HOUR_MS);
    await this.#sweeper.pass();
  }

  async #both(run: (store: Pick<Store, "points">) => Promise<unknown>): Promise<void> {
    const outcomes = await Promise.all(
      [this.#opened.store, this.#oracle].map((store) => run(store)),
    );
    this.compared.push([outcomes[0], outcomes[1]]);
  }
}
