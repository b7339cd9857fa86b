/** Lets one piece of work go on at a time, in the order in which they came. */
export class OneAfterAnother {
  #last: Promise<void> = Promise.resolve();

  /** Waits for those before. What it answers is to be called once, at the end. */
  async begin(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}
