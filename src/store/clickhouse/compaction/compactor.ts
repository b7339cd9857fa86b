/**
 * Creates a merged copy of a load test, so that reading needs no merging. Failures never affect readers: a
 * copy is used only after it was compared with its original rows and its number was stored with the load
 * test, and only as long as the load test has exactly these batches. Numbers of failed attempts are never
 * reused.
 */

import { randomBytes } from "node:crypto";
import { UserError } from "../../../model/errors.ts";
import { unknownLoadTest } from "../../../model/load-test.ts";
import {
  attributeOfCompaction,
  attributeOfCompacting,
  type StoredLoadTest,
} from "../catalogue/attributes.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Asking, Node } from "../cluster/node.ts";
import { type ClickHouseParts } from "../parts.ts";
import {
  type CopiedRows,
  batchesTally,
  copyCount,
  copyStatement,
  copyTally,
  differencesOf,
  newCompactionNumber,
  pointsTally,
  prefixesQuery,
  rangesOf,
  compactionDigits,
  tallyIn,
} from "./compaction-queries.ts";
import { rowsIn } from "./compacted-copies.ts";
import { contentsDigest, visibleRows } from "../read/visible.ts";
import { shardAt } from "../cluster/cluster.ts";

/**
 * "is compacted": nothing to do. "nothing": no points. "elsewhere": another process is compacting. "changed":
 * new batches made the copy useless.
 */
export type CompactionOutcome = "compacted" | "is compacted" | "nothing" | "elsewhere" | "changed";

/** How long other processes leave a load test to one that announced a compaction. */
const LEASE_MS = 10 * 60_000;

const COPYING: Asking = {
  // Statements may be slow, and a server is silent meanwhile.
  silenceMsMax: 10 * 60_000,
  // Above this, a server merges on disk instead of failing.
  settings: { max_bytes_before_external_group_by: 1_000_000_000 },
};

/** What to copy, and a server that has all of it. */
interface Contents extends CopiedRows {
  readonly digest: string;
  readonly node: Node;
}

/** Queries one server. */
interface Asked {
  readonly read: (sql: string) => Promise<readonly NativeBlock[]>;
  readonly copy: (sql: string) => Promise<void>;
}

export class Compactor {
  readonly #parts: ClickHouseParts;
  readonly #name = randomBytes(8).toString("hex");

  constructor(parts: ClickHouseParts) {
    this.#parts = parts;
  }

  /**
   * Throws `unknown-load-test`, and `damaged-store` if points do not match their batches: such load tests are
   * not copied.
   */
  async compact(loadTestId: string, signal?: AbortSignal): Promise<CompactionOutcome> {
    const stored = await this.#find(loadTestId);
    if (stored === undefined) throw unknownLoadTest(loadTestId);
    const contents = await this.#contentsOf(stored);
    if (contents.rows.length === 0) return "nothing";
    if (await isCompacted(this.#parts, stored, contents)) return "is compacted";
    const { compacting } = stored;
    const isElsewhere = compacting !== undefined && compacting.by !== this.#name;
    if (isElsewhere && compacting.untilMs > this.#parts.nowMs()) return "elsewhere";
    try {
      await this.#lease(loadTestId, LEASE_MS);
      return await this.#copy(contents, signal);
    } finally {
      // If this fails, the others wait until the reservation expires.
      await this.#lease(loadTestId, 0).catch(() => undefined);
    }
  }

  async #copy(contents: Contents, signal: AbortSignal | undefined): Promise<CompactionOutcome> {
    const { attributes, copies, nowMs } = this.#parts;
    const { shardKey, digest, node } = contents;
    const number = newCompactionNumber(nowMs());
    const replicas = shardAt(this.#parts.cluster, shardKey);
    const asked: Asked = {
      read: (sql) => replicas.readOn(node, sql, { signal }),
      copy: (sql) => replicas.copyOn(node, sql, { ...COPYING, signal }),
    };
    await this.#copyRanges(contents, number, asked);
    await requireSame(contents, number, asked);
    const rows = rowsIn(await asked.read(copyCount(contents.database, shardKey, number)));
    if (rows === 0) return "nothing";
    const copy = { number: compactionDigits(number), rows };
    await copies.untilEverywhere(shardKey, copy, { ...this.#parts, signal });
    const standing = await attributes.standing(shardKey.loadTestId);
    const { stored } = standing;
    if (stored?.shardKey.incarnation !== shardKey.incarnation) return "changed";
    if ((await this.#contentsOf(stored)).digest !== digest) return "changed";
    const compaction = { ...copy, contents: digest, publishedAtMs: nowMs(), hasOutcomes: true };
    await attributes.write([
      attributeOfCompaction(shardKey, compaction, attributes.nextVersion(standing)),
    ]);
    return "compacted";
  }

  async #copyRanges(contents: Contents, number: bigint, { read, copy }: Asked): Promise<void> {
    for (const [at, range] of rangesOf(await read(prefixesQuery(contents))).entries()) {
      if (at > 0) await this.#lease(contents.shardKey.loadTestId, LEASE_MS);
      await copy(copyStatement(contents, number, range));
    }
  }

  /**
   * Reserves the load test for a limited time. Two concurrent reservations create two copies; one of them is
   * used.
   */
  async #lease(loadTestId: string, ms: number): Promise<void> {
    const { attributes, nowMs } = this.#parts;
    const standing = await attributes.standing(loadTestId);
    if (standing.stored === undefined) return;
    const compacting = { by: this.#name, untilMs: ms === 0 ? 0 : nowMs() + ms };
    const { shardKey } = standing.stored;
    await attributes.write([
      attributeOfCompacting(shardKey, compacting, attributes.nextVersion(standing)),
    ]);
  }

  async #find(loadTestId: string): Promise<StoredLoadTest | undefined> {
    return (await this.#parts.attributes.standing(loadTestId)).stored;
  }

  async #contentsOf({ shardKey }: StoredLoadTest): Promise<Contents> {
    const { cluster, writers } = this.#parts;
    const { node, byId } = await writers.of(shardKey).manifests([shardKey]);
    const sources = byId.get(shardKey.loadTestId)?.sources ?? [];
    const visible = sources.filter(({ isVisible }) => isVisible);
    const { database } = cluster.settings;
    return {
      database,
      shardKey,
      node,
      rows: visibleRows(visible),
      digest: contentsDigest(visible),
    };
  }
}

/** Whether an equivalent copy exists on the server that would be read. */
export async function isCompacted(
  { copies }: ClickHouseParts,
  { shardKey, compaction }: StoredLoadTest,
  { digest, node }: Pick<Contents, "digest" | "node">,
): Promise<boolean> {
  return compaction?.contents === digest && copies.isWhole(node, shardKey, compaction);
}

/** Compares the copy with the points, and the points with their batches. */
async function requireSame(contents: Contents, number: bigint, { read }: Asked): Promise<void> {
  const points = tallyIn(await read(pointsTally(contents)));
  const batches = tallyIn(await read(batchesTally(contents)));
  const copied = tallyIn(await read(copyTally(contents, number)));
  const differences = [...differencesOf(batches, points), ...differencesOf(points, copied)];
  if (differences.length === 0) return;
  const names = [...new Set(differences)].map((name) => name.replace(/^a_/, ""));
  throw new UserError(
    "damaged-store",
    `cannot compact load test "${contents.shardKey.loadTestId}": its batches, their points and the copy ` +
      `made of them on ${contents.node.url} differ in ${names.join(", ")}`,
  );
}
