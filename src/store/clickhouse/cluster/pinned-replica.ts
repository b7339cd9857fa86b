/** The replica that a snapshot is read from; switches to an equivalent one if it fails. */

import { UserError } from "../../../model/errors.ts";
import type { Replicas } from "./replicas.ts";
import { READING_MS_MAX } from "../compaction/sweep-queries.ts";
import { type SourceManifest, type SourceManifests, sourcesIn } from "../read/source-manifest.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Node } from "./node.ts";

export interface PinnedReplicaOptions {
  readonly manifest: SourceManifest;
  /** Has everything in the manifest. */
  readonly node: Node;
  readonly readManifests: () => Promise<SourceManifests>;
  /** Whether a server has the copy that is read, if any. */
  readonly hasCopy: (node: Node) => Promise<boolean>;
}

export class PinnedReplica {
  readonly #replicas: Replicas;
  readonly #options: PinnedReplicaOptions;
  readonly #openedAtMs: number;
  #node: Node;

  constructor(replicas: Replicas, options: PinnedReplicaOptions) {
    this.#replicas = replicas;
    this.#options = options;
    this.#node = options.node;
    this.#openedAtMs = replicas.clock.clockMs();
  }

  /**
   * Returns the result of a query, block by block. Throws `store-unreachable` if no replica responds, and
   * `busy` if the snapshot is so old that some of its rows may be deleted.
   */
  async *ask(sql: string): AsyncGenerator<NativeBlock> {
    this.#requireYoung();
    let hasYielded = false;
    try {
      for await (const block of this.#replicas.streamOn(this.#node, sql)) {
        hasYielded = true;
        yield block;
      }
      return;
    } catch (error) {
      const isAway = error instanceof UserError && error.code === "store-unreachable";
      if (hasYielded || !isAway) throw error;
    }
    this.#node = await this.#another();
    yield* this.#replicas.streamOn(this.#node, sql);
  }

  #requireYoung(): void {
    if (this.#replicas.clock.clockMs() - this.#openedAtMs <= READING_MS_MAX) return;
    throw new UserError(
      "busy",
      `cannot read load test "${this.#options.manifest.shardKey.loadTestId}" completely: it took ` +
        `${READING_MS_MAX / 60_000} minutes, and what was replaced meanwhile is about to be removed`,
    );
  }

  async #another(): Promise<Node> {
    const { manifest, readManifests, hasCopy } = this.#options;
    const { loadTestId } = manifest.shardKey;
    const manifests = await readManifests();
    const sources = sourcesIn(manifests, manifest.shardKey);
    const isWhole = manifest.sources.every(({ number, batches }) => {
      const there = sources.find((source) => source.number === number);
      return (there?.batches?.batches ?? 0) >= (batches?.batches ?? 0);
    });
    if (isWhole && (await hasCopy(manifests.node))) return manifests.node;
    throw new UserError(
      "store-behind",
      `cannot read load test "${loadTestId}" completely: the replica it was read from ` +
        `does not answer any more, and no other one has all of it yet`,
    );
  }
}
