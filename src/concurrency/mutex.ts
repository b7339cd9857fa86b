/** One holder at a time, in the order of asking. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits for its turn; the caller must call the returned function once, at the end. */
  async acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Does `work` after all earlier work, however that ended. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** A mutex for each key: work is done one after the other for a key, side by side for different ones. */
export class KeyedMutex {
  readonly #held = new Map<string, { readonly mutex: Mutex; users: number }>();

  /** Does `work` after all earlier work of the key, however that ended. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const held = this.#held.get(key) ?? { mutex: new Mutex(), users: 0 };
    this.#held.set(key, held);
    held.users += 1;
    try {
      return await held.mutex.run(work);
    } finally {
      held.users -= 1;
      if (held.users === 0) this.#held.delete(key);
    }
  }
}
