/** Heads of load tests, for those who ask at the same time. */

import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { Place } from "../catalogue/facts.ts";
import type { Heads } from "../read/head.ts";

export class AskedHeads {
  readonly #read: (places: readonly Place[]) => Promise<Heads>;
  readonly #asked = new RequestCoalescer<string, Heads | Error>((keys) => this.#askAll(keys));
  readonly #places = new Map<string, Place>();

  constructor(read: (places: readonly Place[]) => Promise<Heads>) {
    this.#read = read;
  }

  /** The head of one load test: those who ask at the same time ask together. */
  async ask(place: Place): Promise<Heads> {
    const key = `${place.loadTestId} ${place.incarnation}`;
    this.#places.set(key, place);
    const heads = await this.#asked.ask(key);
    if (heads === undefined) throw new Error(`BUG: nobody asked for the head of "${key}"`);
    if (heads instanceof Error) throw heads;
    return heads;
  }

  async #askAll(keys: readonly string[]): Promise<ReadonlyMap<string, Heads | Error>> {
    const places = keys.map((key) => this.#places.get(key) as Place);
    for (const key of keys) this.#places.delete(key);
    try {
      const heads = await this.#read(places);
      return new Map(keys.map((key) => [key, heads]));
    } catch {
      // What is wrong with one of them must not be told to those who asked for others.
      const each = places.map((place) => this.#read([place]).catch(errorOf));
      const answers = await Promise.all(each);
      return new Map(keys.map((key, at) => [key, answers[at] as Heads | Error]));
    }
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
