/** Endpoint numbers of a table of labels that one batch after the other uses, as it grows. */

const FIRST_LABELS = 64;

/**
 * Remembers numbers by the index of their label. To look a label up by its text in every batch takes
 * as long as encoding its points, where there are very many labels.
 */
export class LabelNumbers {
  readonly #labels: (string | undefined)[] = [];
  #numbers = new Uint32Array(FIRST_LABELS);

  /** By index; those of labels that are not known mean nothing. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /** Whether the number of the label at an index is known; it may be another label than before. */
  knows(index: number, label: string | undefined): boolean {
    return label !== undefined && this.#labels[index] === label;
  }

  learn(index: number, label: string | undefined, number: number): void {
    while (this.#labels.length <= index) this.#labels.push(undefined);
    if (index >= this.#numbers.length) this.#grow(index + 1);
    this.#labels[index] = label;
    this.#numbers[index] = number;
  }

  /** What was given before stays as it is. */
  #grow(length: number): void {
    const numbers = new Uint32Array(Math.max(length, this.#numbers.length * 2));
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}
