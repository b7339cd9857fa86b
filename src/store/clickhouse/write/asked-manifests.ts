/** Heads of load tests, for those who ask at the same time. */

import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { Place } from "../catalogue/attributes.ts";
import type { SourceManifests } from "../read/source-manifest.ts";

export class AskedManifests {
  readonly #read: (places: readonly Place[]) => Promise<SourceManifests>;
  readonly #asked = new RequestCoalescer<string, SourceManifests | Error>((keys) =>
    this.#askAll(keys),
  );
  readonly #places = new Map<string, Place>();

  constructor(read: (places: readonly Place[]) => Promise<SourceManifests>) {
    this.#read = read;
  }

  /** The manifest of one load test: those who ask at the same time ask together. */
  async ask(place: Place): Promise<SourceManifests> {
    const key = `${place.loadTestId} ${place.incarnation}`;
    this.#places.set(key, place);
    const manifests = await this.#asked.ask(key);
    if (manifests === undefined) throw new Error(`BUG: nobody asked for the manifest of "${key}"`);
    if (manifests instanceof Error) throw manifests;
    return manifests;
  }

  async #askAll(keys: readonly string[]): Promise<ReadonlyMap<string, SourceManifests | Error>> {
    const places = keys.map((key) => this.#places.get(key) as Place);
    for (const key of keys) this.#places.delete(key);
    try {
      const manifests = await this.#read(places);
      return new Map(keys.map((key) => [key, manifests]));
    } catch {
      // What is wrong with one of them must not be told to those who asked for others.
      const each = places.map((place) => this.#read([place]).catch(errorOf));
      const answers = await Promise.all(each);
      return new Map(keys.map((key, at) => [key, answers[at] as SourceManifests | Error]));
    }
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
