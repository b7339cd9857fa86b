/** What a process remembers of the endpoints of one load test. */

import type { Endpoint } from "../../model/load-test.ts";
import { LabelIndex } from "./label-index.ts";
import { LabelNumbers } from "./label-numbers.ts";
import { Turns } from "./turns.ts";

/** Read at a time: some milliseconds. */
const ROWS_AT_ONCE = 2048;

/** Reads at most so many endpoints by number, behind one of them or from the first on. */
export type ReadPage = (after: number | undefined, rows: number) => readonly Endpoint[];

/**
 * Numbers are given in a row, from 0 on: all of the first so many are remembered, so that only those
 * behind them have to be read, whoever gave them.
 */
export class KnownEndpoints {
  readonly #page: ReadPage;
  readonly #index = new LabelIndex();
  readonly #tables = new WeakMap<readonly string[], LabelNumbers>();

  constructor(page: ReadPage) {
    this.#page = page;
  }

  /** By number. */
  get labels(): readonly string[] {
    return this.#index.labels;
  }

  numberOf(label: string): number | undefined {
    return this.#index.find(label);
  }

  /** The numbers that were remembered for a table of labels, which may have grown since. */
  tableOf(labels: readonly string[]): LabelNumbers {
    const found = this.#tables.get(labels) ?? new LabelNumbers(this.labels);
    this.#tables.set(labels, found);
    return found;
  }

  /** Remembers endpoints that were committed: all there are behind some that were remembered. */
  remember(endpoints: readonly Endpoint[]): void {
    const known = this.labels.length;
    for (const { label, number } of endpoints) if (number >= known) this.#index.add(label, number);
  }

  /** Remembers all that was committed until now. Throws `damaged-store`. */
  catchUp(): void {
    while (this.#readOn()) continue;
  }

  /** The same; others have their turn meanwhile. */
  async catchUpInTurns(): Promise<void> {
    const turns = new Turns();
    while (this.#readOn()) await turns.pass();
  }

  /** Answers whether there may be more. */
  #readOn(): boolean {
    const known = this.labels.length;
    const page = this.#page(known === 0 ? undefined : known - 1, ROWS_AT_ONCE);
    this.remember(page);
    return page.length === ROWS_AT_ONCE;
  }
}
