/** Batches requests: keys asked for during a batch go into the next, so each result was read after its request. */
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
