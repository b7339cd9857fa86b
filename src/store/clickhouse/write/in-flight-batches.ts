import type { PlannedBatch } from "./plan.ts";

interface Entry {
  readonly loadTest: string;
  readonly planned: PlannedBatch;
  /**
   * Inserts up to this number may have been planned before it was stored; `Infinity`: not stored yet.
   */
  lastUnaware: number;
}

/**
 * Coordinates concurrent inserts: tracks batches that one insert stores and that another one, planned
 * earlier, has not seen in the store.
 */
export class InFlightBatches {
  readonly #active = new Set<number>();
  #entries: Entry[] = [];
  #inserts = 0;

  /** Returns the number of an insert that is about to be planned. */
  beginInsert(): number {
    this.#active.add(++this.#inserts);
    return this.#inserts;
  }

  endInsert(insert: number): void {
    this.#active.delete(insert);
    const first = Math.min(Infinity, ...this.#active);
    this.#entries = this.#entries.filter(({ lastUnaware }) => lastUnaware >= first);
  }

  /** Registers batches of a load test that are about to be stored, until `end` is called. */
  begin(loadTest: string, batches: readonly PlannedBatch[]): { end(): void } {
    const entries = batches.map((planned): Entry => ({ loadTest, planned, lastUnaware: Infinity }));
    this.#entries.push(...entries);
    return {
      end: () => {
        for (const entry of entries) entry.lastUnaware = this.#inserts;
      },
    };
  }

  /** Returns the batches of a load test that an insert may not see in the store. */
  of(loadTest: string): readonly PlannedBatch[] {
    return this.#entries.flatMap((entry) => (entry.loadTest === loadTest ? entry.planned : []));
  }
}
