import type { PlannedBatch } from "./plan.ts";

interface Entry {
  readonly loadTest: string;
  readonly planned: PlannedBatch;
  /** Inserts up to this number may have been planned before it was stored; `Infinity`: it is not yet. */
  lastUnaware: number;
}

/**
 * What inserts side by side know of each other: batches that one of them stores, and that another one,
 * which was planned before, has not seen in the store.
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

  /** Adds batches of a load test that are about to be stored, until `end` is called. */
  begin(loadTest: string, batches: readonly PlannedBatch[]): { end(): void } {
    const entries = batches.map((planned): Entry => ({ loadTest, planned, lastUnaware: Infinity }));
    this.#entries.push(...entries);
    return {
      end: () => {
        for (const entry of entries) entry.lastUnaware = this.#inserts;
      },
    };
  }

  /** The batches of a load test that an insert may not see in the store. */
  of(loadTest: string): readonly PlannedBatch[] {
    return this.#entries.flatMap((entry) => (entry.loadTest === loadTest ? entry.planned : []));
  }
}
