/**
 * Batches requests: keys requested while a batch is in flight go into the next one together, so that
 * every result was read after it was requested.
 */
export class RequestCoalescer<Key, Answer> {
  readonly #request: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>;
  #next: Promise<ReadonlyMap<Key, Answer>> | undefined;
  #inFlight: Promise<unknown> = Promise.resolve();
  #keys = new Set<Key>();

  constructor(request: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>) {
    this.#request = request;
  }

  /** Throws the error of the key's batch. */
  async ask(key: Key): Promise<Answer | undefined> {
    this.#keys.add(key);
    this.#next ??= this.#requestNext();
    return (await this.#next).get(key);
  }

  async #requestNext(): Promise<ReadonlyMap<Key, Answer>> {
    await this.#inFlight;
    const keys = [...this.#keys];
    this.#keys = new Set();
    this.#next = undefined;
    const answers = this.#request(keys);
    this.#inFlight = answers.catch(() => undefined);
    return answers;
  }
}
