import { ByteTable } from "./byte-table.ts";

/** Labels that were folded are told apart up to so many of them, and no more bytes. */
const LABELS_COUNTED = 100_000;
const BYTES_KEPT = 16 * 1024 * 1024;

/** Counts the labels of a source that were folded, in bounded memory, and the groups that they are in. */
export class FoldedLabels {
  readonly #groups = new Set<number>();
  readonly #labels = new ByteTable();
  #counted = 0;
  #isCounting = true;

  /** Takes a label that became that of a group, by the group's index. */
  take(bytes: Uint8Array, [from, to]: readonly [number, number], group: number): void {
    this.#groups.add(group);
    if (!this.#isCounting || this.#labels.find(bytes, from, to) !== undefined) return;
    if (this.#counted < LABELS_COUNTED && this.#labels.bytes + (to - from) <= BYTES_KEPT) {
      this.#labels.add(bytes, from, to);
      this.#counted += 1;
    } else {
      this.#isCounting = false;
      this.#labels.clear();
    }
  }

  /** How many became how many, in words; `undefined` where none was folded. */
  note(): string | undefined {
    if (this.#groups.size === 0) return undefined;
    const labels = this.#isCounting ? `${this.#counted}` : `more than ${this.#counted}`;
    return `labels folded into groups: ${labels} into ${this.#groups.size}`;
  }
}
