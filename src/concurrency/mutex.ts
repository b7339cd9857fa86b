export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Waits for the lock; the caller must call the returned function once to release it. */
  async acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }

  /** Runs `work` after all earlier work, whether that failed or not. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}

export class KeyedMutex {
  readonly #held = new Map<string, { readonly mutex: Mutex; users: number }>();

  /** Runs `work` after all earlier work of the key, whether that failed or not. */
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
