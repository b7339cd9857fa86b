import { noSizes, WHOLE_SECONDS } from "../notes.ts";
import type { K6Counts } from "./k6-kernel.ts";

/** What an import says about the requests of k6. */
export class K6Notes {
  /** Requests by what they lack, or by how precise their time is. */
  readonly #counts = { unmarked: 0, unlabelled: 0, coarse: 0, fine: 0 };
  #unreadableUsers = 0;

  count({ unmarked = 0, unlabelled = 0, coarse = 0, fine = 0 }: Partial<K6Counts>): void {
    this.#counts.unmarked += unmarked;
    this.#counts.unlabelled += unlabelled;
    this.#counts.coarse += coarse;
    this.#counts.fine += fine;
  }

  countUnreadableUsers(): void {
    this.#unreadableUsers += 1;
  }

  notes(): string[] {
    const { unmarked, unlabelled, coarse, fine } = this.#counts;
    const notes: string[] = [];
    if (coarse + fine > 0) notes.push(noSizes("k6"));
    if (coarse > 0 && fine === 0) notes.push(WHOLE_SECONDS);
    if (unlabelled > 0) notes.push("requests without a name and a URL have the empty label");
    if (unmarked > 0) {
      notes.push(
        `${unmarked} requests have neither a status nor a failure flag: counted as passed`,
      );
    }
    if (this.#unreadableUsers > 0) {
      notes.push(`samples of vus that could not be read: ${this.#unreadableUsers}`);
    }
    return notes;
  }
}
