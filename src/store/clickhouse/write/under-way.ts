/** Batches that are being stored, or were a moment ago. */

import type { PlannedBatch } from "./plan.ts";

interface Entry {
  readonly loadTest: string;
  readonly planned: PlannedBatch;
  /** Turns up to this number may have looked before it was stored; `Infinity`: it is not yet. */
  lastUnaware: number;
}

/**
 * What turns side by side know of each other: batches that one of them stores and another one, which
 * has looked before, does not see.
 */
export class UnderWay {
  readonly #active = new Set<number>();
  #entries: Entry[] = [];
  #turns = 0;

  /** A turn that will look at what is stored. */
  beginTurn(): number {
    this.#active.add(++this.#turns);
    return this.#turns;
  }

  endTurn(turn: number): void {
    this.#active.delete(turn);
    const first = Math.min(Infinity, ...this.#active);
    this.#entries = this.#entries.filter(({ lastUnaware }) => lastUnaware >= first);
  }

  /** Batches of a load test that are about to be stored. */
  begin(loadTest: string, batches: readonly PlannedBatch[]): { end(): void } {
    const entries = batches.map((planned): Entry => ({ loadTest, planned, lastUnaware: Infinity }));
    this.#entries.push(...entries);
    return {
      end: () => {
        for (const entry of entries) entry.lastUnaware = this.#turns;
      },
    };
  }

  /** Those of a load test that a turn may not see. */
  of(loadTest: string): readonly PlannedBatch[] {
    return this.#entries.flatMap((entry) => (entry.loadTest === loadTest ? entry.planned : []));
  }
}
