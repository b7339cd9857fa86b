import { setTimeout } from "node:timers/promises";
import { UserError } from "../../../src/model/errors.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { loadTest } from "../../support/load-tests.ts";
import { Ledger } from "./ledger.ts";
import { numberedBatch, seenIn } from "./numbered-batches.ts";

/** Pause between two batches of a writer, and between two reads. */
const PAUSE_MS = 10;

const RESENT_AT_ONCE = 20;

/**
 * Writers and readers of several stores on the same servers, like several processes. Writers send each batch
 * until it is acknowledged, and readers retry until they get an answer; every wrong answer counts.
 */
export class Traffic {
  readonly ledger = new Ledger();
  readonly loadTestIds: readonly string[];
  /** Wrong answers that readers got. */
  readonly faults: string[] = [];
  /** Temporary errors of the stores, after which the call was repeated. */
  readonly refusals: string[] = [];
  reads = 0;
  longestReadMs = 0;
  /** From the first attempt to the acknowledgement. */
  longestWriteMs = 0;
  readonly #stores: readonly Store[];
  #isEnding = false;

  constructor(stores: readonly Store[], loadTestIds: readonly string[]) {
    this.#stores = stores;
    this.loadTestIds = loadTestIds;
  }

  async createLoadTests(): Promise<void> {
    const [first] = this.#stores;
    for (const id of this.loadTestIds) await first?.loadTests.create(loadTest(id));
  }

  /** Sends every batch once more, like a sender that is not sure. Returns those that were new. */
  async resendAll(store: Store): Promise<readonly PointBatch[]> {
    const unknown: PointBatch[] = [];
    const { begun } = this.ledger;
    for (let from = 0; from < begun.length; from += RESENT_AT_ONCE) {
      const resent = begun.slice(from, from + RESENT_AT_ONCE).map(async (batch) => {
        const { duplicate } = await this.untilDone(() => store.points.append(batch));
        if (!duplicate) unknown.push(batch);
      });
      await Promise.all(resent);
    }
    return unknown;
  }

  /** Two writers and a reader for each store, until `end` or, for writers, `batchesMax` each. */
  async run(batchesMax = Infinity): Promise<void> {
    const writers = this.#stores.flatMap((store, index) => [
      this.#write(store, `writer ${2 * index}`, batchesMax),
      this.#write(store, `writer ${2 * index + 1}`, batchesMax),
    ]);
    const readers = this.#stores.map((store) => this.#read(store));
    await Promise.all(writers);
    this.end();
    await Promise.all(readers);
  }

  /** Waits for calls in progress. */
  end(): void {
    this.#isEnding = true;
  }

  async #write(store: Store, sourceId: string, batchesMax: number): Promise<void> {
    const { loadTestIds, ledger } = this;
    for (let count = 0; count < batchesMax && !this.#isEnding; count++) {
      const loadTestId = loadTestIds[count % loadTestIds.length] as string;
      const batch = numberedBatch(loadTestId, sourceId, Math.floor(count / loadTestIds.length));
      ledger.begin(batch);
      const startedAtMs = performance.now();
      await this.untilDone(() => store.points.append(batch));
      this.longestWriteMs = Math.max(this.longestWriteMs, performance.now() - startedAtMs);
      ledger.acknowledge(batch);
      await setTimeout(PAUSE_MS);
    }
  }

  /** A sender retries temporary errors of absent servers, and nothing else. */
  async untilDone<Result>(task: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await task();
      } catch (error) {
        if (!isPassing(error)) throw error;
        this.refusals.push(error.message);
        await setTimeout(100);
      }
    }
  }

  async #read(store: Store): Promise<void> {
    while (!this.#isEnding) {
      const loadTestId = this.loadTestIds[this.reads++ % this.loadTestIds.length] as string;
      const acknowledged = this.ledger.acknowledged(loadTestId);
      const startedAtMs = performance.now();
      const seen = await this.untilDone(() => seenIn(store, loadTestId));
      this.faults.push(...this.ledger.faultsIn(loadTestId, acknowledged, seen));
      this.longestReadMs = Math.max(this.longestReadMs, performance.now() - startedAtMs);
      await setTimeout(PAUSE_MS);
    }
  }

  /** Throughput and latency, for the output of a run. */
  get figures(): string {
    return [
      `${this.ledger.begun.length} batches, each acknowledged`,
      `${this.refusals.length} refusals`,
      `${Math.round(this.longestWriteMs)} ms at most until it was`,
      `${this.reads} reads, ${Math.round(this.longestReadMs)} ms at most`,
    ].join(", ");
  }
}

function isPassing(error: unknown): error is UserError {
  return error instanceof UserError && error.kind === "unavailable";
}
