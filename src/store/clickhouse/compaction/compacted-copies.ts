/** Tracks which servers have all rows of a copy: only there it replaces the original rows. */

import { UserError } from "../../../model/errors.ts";
import { ClickHouseError } from "../cluster/clickhouse-error.ts";
import { type Cluster, shardAt } from "../cluster/cluster.ts";
import { type ShardKey, preferenceOf, type Compaction } from "../catalogue/attributes.ts";
import { countIn } from "../native/rows-in.ts";
import type { Node, ServerFeatures } from "../cluster/node.ts";
import type { Interruptible } from "../cluster/replicas.ts";
import { copyExtent, narrowTypesIn, compactionNumber } from "./compaction-queries.ts";
import type { NarrowTypes } from "../read/point-columns.ts";

/** How long a new copy waits for the other replicas before it is used. */
const EVERYWHERE_MS_MAX = 60_000;
const EVERYWHERE_STEP_MS = 100;

const REMEMBERED_MAX = 100_000;

type Copy = Pick<Compaction, "number" | "rows">;

export class CompactedCopies {
  readonly #cluster: Cluster;
  /** Keyed by server features, which are queried again after a failure, and so is this. */
  readonly #whole = new WeakMap<ServerFeatures, Map<string, NarrowTypes>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Whether the server has all rows of the copy; false if unknown. */
  async isWhole(node: Node, shardKey: ShardKey, copy: Copy): Promise<boolean> {
    return (await this.look(node, shardKey, copy)) !== undefined;
  }

  /** How to read the copy, if the server has all of its rows. */
  async look(node: Node, shardKey: ShardKey, copy: Copy): Promise<NarrowTypes | undefined> {
    try {
      const features = await node.features();
      const whole = this.#whole.get(features) ?? new Map<string, NarrowTypes>();
      const known = whole.get(copy.number);
      if (known !== undefined) return known;
      const query = copyExtent(this.#cluster.settings.database, shardKey, compactionNumber(copy));
      const blocks = await shardAt(this.#cluster, shardKey).readOn(node, query);
      if (countIn(blocks) !== copy.rows) return undefined;
      if (whole.size > REMEMBERED_MAX) whole.clear();
      const narrow = narrowTypesIn(blocks);
      this.#whole.set(features, whole.set(copy.number, narrow));
      return narrow;
    } catch (error) {
      if (error instanceof UserError || error instanceof ClickHouseError) return undefined;
      throw error;
    }
  }

  /** Waits a limited time for rows that some SQL counts, on each reachable server. Returns whether all have them. */
  async untilEverywhere(
    shardKey: ShardKey,
    { sql, rows }: { readonly sql: string; readonly rows: number },
    { signal }: Interruptible = {},
  ): Promise<boolean> {
    const { clockMs, wait } = this.#cluster.clock;
    const replicas = shardAt(this.#cluster, shardKey);
    const giveUpMs = clockMs() + EVERYWHERE_MS_MAX;
    while (clockMs() < giveUpMs) {
      const options = { preference: preferenceOf(shardKey), signal };
      const answers = await replicas.readEach(sql, options);
      if (answers.every(({ blocks }) => countIn(blocks) === rows)) {
        return answers.length === replicas.nodes.length;
      }
      await wait(EVERYWHERE_STEP_MS, signal);
    }
    return false;
  }
}
