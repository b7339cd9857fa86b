/**
 * Asks for several keys at once: those that are asked for while an earlier request is in flight go
 * together into the next one, so that each answer was read after it was asked for.
 */
export class RequestCoalescer<Key, Answer> {
  readonly #request: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>;
  #next: Promise<ReadonlyMap<Key, Answer>> | undefined;
  #inFlight: Promise<unknown> = Promise.resolve();
  #keys = new Set<Key>();

  constructor(request: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Answer>>) {
    this.#request = request;
  }

  /** Throws what the request throws that the key went into. */
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
