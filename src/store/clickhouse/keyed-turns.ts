/** Work that is done one after the other for each key, side by side for different ones. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` when all earlier work of the key is done, however that ended. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = before.then(work, work);
    this.#last.set(key, done);
    const forget = (): void => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    };
    done.then(forget, forget);
    return done;
  }

  /** Waits for all that has begun. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
