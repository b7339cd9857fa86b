/** Endpoint numbers of a table of labels that one batch after the other uses, as it grows. */

const FIRST_LABELS = 64;

/**
 * Remembers numbers by the index of their label. To look a label up by its text in every batch takes
 * as long as encoding its points, where there are very many labels.
 */
export class LabelNumbers {
  readonly #labels: readonly string[];
  #numbers = new Uint32Array(FIRST_LABELS);

  /** `labels`: the label of each number, of all there are; only ever grows. */
  constructor(labels: readonly string[]) {
    this.#labels = labels;
  }

  /** By index; those of labels that are not known mean nothing. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /**
   * Whether the number at an index is that of this label, which may be another one than before: an
   * index that nothing was learned of has a number, too, and mostly that of another label.
   */
  knows(index: number, label: string | undefined): boolean {
    const number = this.#numbers[index];
    return label !== undefined && number !== undefined && this.#labels[number] === label;
  }

  learn(index: number, number: number): void {
    if (index >= this.#numbers.length) this.#grow(index + 1);
    this.#numbers[index] = number;
  }

  /** What was given before stays as it is. */
  #grow(length: number): void {
    const numbers = new Uint32Array(Math.max(length, this.#numbers.length * 2));
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
