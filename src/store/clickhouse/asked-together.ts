/**
 * Questions that are asked while an earlier one is under way are asked together when it is answered:
 * each answer was read after its question came.
 */
export class AskedTogether<Key, Answer> {
  readonly #ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>;
  #next: Promise<ReadonlyMap<Key, Answer>> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #keys = new Set<Key>();

  constructor(ask: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>) {
    this.#ask = ask;
  }

  async ask(key: Key): Promise<Answer | undefined> {
    this.#keys.add(key);
    this.#next ??= this.#askNext();
    return (await this.#next).get(key);
  }

  async #askNext(): Promise<ReadonlyMap<Key, Answer>> {
    await this.#running;
    const keys = [...this.#keys];
    this.#keys = new Set();
    this.#next = undefined;
    const answers = this.#ask(keys);
    this.#running = answers.catch(() => undefined);
    return answers;
  }
}
