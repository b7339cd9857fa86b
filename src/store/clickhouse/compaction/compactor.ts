import { UserError } from "../../../model/errors.ts";
import type { Compacting, Compaction, Fields, StoredLoadTest } from "../catalogue/attributes.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { Asking, Node } from "../cluster/node.ts";
import type { ClickHouseParts } from "../parts.ts";
import {
  batchesTally,
  compactionDigits,
  copyCount,
  copyStatement,
  copyTally,
  differencesOf,
  newCompactionNumber,
  pointsTally,
  prefixesQuery,
  rangesOf,
  tallyIn,
} from "./compaction-queries.ts";
import { countIn } from "../native/rows-in.ts";
import { sourcesIn } from "../read/source-manifest.ts";
import { contentsDigest, type VisibleRows, visibleRows } from "../read/visible.ts";
import type { StoredSource } from "../catalogue/sources.ts";
import { shardAt } from "../cluster/cluster.ts";
import { randomBytes } from "node:crypto";

/**
 * "is compacted": nothing to do. "nothing": no points. "elsewhere": another process is compacting. "changed":
 * new batches made the copy useless.
 */
export type CompactionOutcome = "compacted" | "is compacted" | "nothing" | "elsewhere" | "changed";

export const COPYING: Asking = {
  // Statements may be slow, and a server is silent meanwhile.
  silenceMsMax: 10 * 60_000,
  // Above this, a server merges on disk instead of failing.
  settings: { max_bytes_before_external_group_by: 1_000_000_000 },
};

/** What to copy, and a server that has all of it. */
export interface Contents extends VisibleRows {
  readonly digest: string;
  readonly node: Node;
  /** Also those that are not visible. */
  readonly sources: readonly StoredSource[];
}

interface Asked {
  readonly read: (sql: string) => Promise<readonly NativeBlock[]>;
  readonly copy: (sql: string) => Promise<void>;
}

/**
 * Creates a merged copy of a load test, so that reading needs no merging. Failures never affect readers: a
 * copy is used only after it was compared with its original rows and its number was stored with the load
 * test, and only as long as the load test has exactly these batches. Numbers of failed attempts are never
 * reused.
 */
export class Compactor {
  readonly #parts: ClickHouseParts;
  readonly #lease: Lease;

  constructor(parts: ClickHouseParts) {
    this.#parts = parts;
    this.#lease = new Lease(parts);
  }

  /** Throws `unknown-load-test`, and `damaged-store` if points do not match their batches: such load tests are not copied. */
  async compact(loadTestId: string, signal?: AbortSignal): Promise<CompactionOutcome> {
    const stored = await this.#parts.attributes.required(loadTestId);
    const contents = await contentsOf(this.#parts, stored);
    if (contents.rows.length === 0) return "nothing";
    if (await isCompacted(this.#parts, stored, contents)) return "is compacted";
    return (await this.#lease.during(stored, () => this.#copy(contents, signal))) ?? "elsewhere";
  }

  async #copy(contents: Contents, signal: AbortSignal | undefined): Promise<CompactionOutcome> {
    const { copies, nowMs } = this.#parts;
    const { shardKey, digest, node } = contents;
    const number = newCompactionNumber(nowMs());
    const replicas = shardAt(this.#parts.cluster, shardKey);
    const asked: Asked = {
      read: (sql) => replicas.readOn(node, sql, { signal }),
      copy: (sql) => replicas.copyOn(node, sql, { ...COPYING, signal }),
    };
    await this.#copyRanges(contents, number, asked);
    await requireSame(contents, number, asked);
    const rows = countIn(await asked.read(copyCount(contents.database, shardKey, number)));
    if (rows === 0) return "nothing";
    const counted = { sql: copyCount(contents.database, shardKey, number), rows };
    await copies.untilEverywhere(shardKey, counted, { signal });
    const compaction: Compaction = {
      number: compactionDigits(number),
      contents: digest,
      rows,
      publishedAtMs: nowMs(),
      hasOutcomes: true,
    };
    const sealed = JSON.stringify(compaction);
    return (await setUnlessChanged(this.#parts, contents, { sealed })) ? "compacted" : "changed";
  }

  async #copyRanges(contents: Contents, number: bigint, { read, copy }: Asked): Promise<void> {
    for (const [at, range] of rangesOf(await read(prefixesQuery(contents))).entries()) {
      if (at > 0) await this.#lease.renew(contents.shardKey.loadTestId);
      await copy(copyStatement(contents, number, range));
    }
  }
}

export async function contentsOf(
  { cluster, writers }: ClickHouseParts,
  { shardKey, minutes }: StoredLoadTest,
): Promise<Contents> {
  const manifests = await writers.of(shardKey).manifests([shardKey]);
  const sources = sourcesIn(manifests, shardKey);
  const { database } = cluster.settings;
  return {
    database,
    shardKey,
    node: manifests.node,
    minutes,
    sources,
    rows: visibleRows(sources),
    digest: contentsDigest(sources, { minutes }),
  };
}

/** Gives fields of the load test values that hold for these contents. Returns whether it has them still. */
export async function setUnlessChanged(
  parts: ClickHouseParts,
  { shardKey, digest }: Contents,
  fields: Fields,
): Promise<boolean> {
  const standing = await parts.attributes.standing(shardKey.loadTestId);
  const { stored } = standing;
  if (stored?.shardKey.incarnation !== shardKey.incarnation) return false;
  if ((await contentsOf(parts, stored)).digest !== digest) return false;
  await parts.attributes.set(shardKey, fields, standing);
  return true;
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
  requireNone(contents, [...differencesOf(batches, points), ...differencesOf(points, copied)]);
}

/** Throws `damaged-store` if there are differences. */
export function requireNone({ shardKey, node }: Contents, differences: readonly string[]): void {
  if (differences.length === 0) return;
  const names = [...new Set(differences)].map((name) => name.replace(/^a_/, ""));
  throw new UserError(
    "damaged-store",
    `cannot compact load test "${shardKey.loadTestId}": its batches, their points and the copy ` +
      `made of them on ${node.url} differ in ${names.join(", ")}`,
  );
}

/** How long other processes leave a load test to one that announced a compaction. */
const LEASE_MS = 10 * 60_000;

/** Reserves load tests for a time, in which other processes leave them alone. Two may both succeed: what they protect only saves work. */
export class Lease {
  readonly #parts: Pick<ClickHouseParts, "attributes" | "nowMs">;
  readonly #name = randomBytes(8).toString("hex");

  constructor(parts: Pick<ClickHouseParts, "attributes" | "nowMs">) {
    this.#parts = parts;
  }

  /** Runs `work`, unless another process has reserved the load test: then returns `undefined`. */
  async during<Result>(
    { loadTest, compacting }: StoredLoadTest,
    work: () => Promise<Result>,
  ): Promise<Result | undefined> {
    const isElsewhere = compacting !== undefined && compacting.by !== this.#name;
    if (isElsewhere && compacting.untilMs > this.#parts.nowMs()) return undefined;
    try {
      await this.renew(loadTest.id);
      return await work();
    } finally {
      // If this fails, the others wait until the reservation expires.
      await this.#write(loadTest.id, 0).catch(() => undefined);
    }
  }

  async renew(loadTestId: string): Promise<void> {
    await this.#write(loadTestId, this.#parts.nowMs() + LEASE_MS);
  }

  async #write(loadTestId: string, untilMs: number): Promise<void> {
    const { attributes } = this.#parts;
    const standing = await attributes.standing(loadTestId);
    if (standing.stored === undefined) return;
    const compacting: Compacting = { by: this.#name, untilMs };
    const sealing = JSON.stringify(compacting);
    await attributes.set(standing.stored.shardKey, { sealing }, standing);
  }
}
