import { Mutex } from "./mutex.ts";

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
