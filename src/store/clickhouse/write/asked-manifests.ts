/** Coalesces concurrent requests for manifests. */

import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";
import type { ShardKey } from "../catalogue/attributes.ts";
import type { SourceManifests } from "../read/source-manifest.ts";

export class AskedManifests {
  readonly #read: (shardKeys: readonly ShardKey[]) => Promise<SourceManifests>;
  readonly #asked = new RequestCoalescer<string, SourceManifests | Error>((keys) =>
    this.#askAll(keys),
  );
  readonly #shardKeys = new Map<string, ShardKey>();

  constructor(read: (shardKeys: readonly ShardKey[]) => Promise<SourceManifests>) {
    this.#read = read;
  }

  /** Returns the manifest of one load test; concurrent calls share a query. */
  async ask(shardKey: ShardKey): Promise<SourceManifests> {
    const key = `${shardKey.loadTestId} ${shardKey.incarnation}`;
    this.#shardKeys.set(key, shardKey);
    const manifests = await this.#asked.ask(key);
    if (manifests === undefined) throw new Error(`BUG: no request for the manifest of "${key}"`);
    if (manifests instanceof Error) throw manifests;
    return manifests;
  }

  async #askAll(keys: readonly string[]): Promise<ReadonlyMap<string, SourceManifests | Error>> {
    const shardKeys = keys.map((key) => this.#shardKeys.get(key) as ShardKey);
    for (const key of keys) this.#shardKeys.delete(key);
    try {
      const manifests = await this.#read(shardKeys);
      return new Map(keys.map((key) => [key, manifests]));
    } catch {
      // A problem of one load test must not fail requests for others.
      const each = shardKeys.map((shardKey) => this.#read([shardKey]).catch(errorOf));
      const answers = await Promise.all(each);
      return new Map(keys.map((key, at) => [key, answers[at] as SourceManifests | Error]));
    }
  }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
