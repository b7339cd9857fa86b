/**
 * Deletes rows that no reader can see any more: of deleted load tests, withdrawn sources, discarded contents,
 * replaced copies, old claims, old entries of the audit log, and files that were never published. It scans existing rows, so it also finds
 * what late retries brought back. It deletes only what was already obsolete an hour before, so that open
 * snapshots have finished.
 */

import { AUDIT_DAYS } from "../../store.ts";
import type { Standing } from "../catalogue/attributes.ts";
import {
  abandonedQuery,
  copiesIn,
  copiesQuery,
  type ExpiringTable,
  GONE_MS,
  type GoneRows,
  goneCopy,
  goneLoadTest,
  goneSource,
  goneSourcesQuery,
  mergedPoints,
  oldRowsQuery,
  remainingIn,
  remainingQuery,
  removalsQuery,
  removeOldRows,
  removeRows,
  rivalsQuery,
  setAsideIn,
  sourcesIn,
  storedIn,
  storedQuery,
  type StoredRows,
} from "./sweep-queries.ts";
import { LoadTestSources } from "../catalogue/load-test-sources.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { ClickHouseParts } from "../parts.ts";
import type { Replicas } from "../cluster/replicas.ts";
import { compactionNumber } from "./compaction-queries.ts";
import type { BatchNote } from "../catalogue/sources.ts";
import { chunksOf } from "../../../model/columns.ts";
import { countIn } from "../native/rows-in.ts";

const DAY_MS = 24 * 60 * 60_000;

/** Time without a batch after which an unpublished file is deleted. */
const ABANDONED_MS = DAY_MS;

/** Load tests, sources and copies per statement. */
const AT_ONCE = 1000;

const KNOWN_MAX = 200_000;

export interface Swept {
  /** Load tests, sources and copies whose rows are being deleted. */
  readonly removed: number;
  /** Files that were never published. */
  readonly forgotten: number;
}

type Read = (sql: string) => Promise<readonly NativeBlock[]>;

export class Sweeper {
  readonly #parts: ClickHouseParts;
  /** What was obsolete at the last pass, and when that was first seen. */
  #gone = new Map<string, number>();
  /** Withdrawn sources without remaining rows. */
  readonly #clean = new Set<string>();

  constructor(parts: ClickHouseParts) {
    this.#parts = parts;
  }

  /** Servers delete the rows asynchronously. */
  async pass(signal?: AbortSignal): Promise<Swept> {
    const before = this.#gone;
    this.#gone = new Map();
    let [removed, forgotten] = [0, 0];
    for (const [shard, replicas] of this.#parts.cluster.shards.entries()) {
      const read = async (sql: string) => replicas.read(sql, { preference: 0, signal });
      forgotten += await this.#forgetAbandoned(read);
      const standings = await this.#parts.attributes.all();
      const rows = [
        ...(await this.#findGone(read, standings)),
        ...(await this.#remaining(read, mergedOn(shard, standings, this.#parts.nowMs()))),
      ];
      const due = rows.filter((each) => this.#isDue(each, before));
      // Each deletion scans the parts of the server, so they run one at a time.
      if (due.length === 0 || (await this.#isRemoving(read))) continue;
      for (const chunk of chunksOf(due, AT_ONCE)) await this.#remove(replicas, chunk);
      removed += due.length;
    }
    // Claims expire: their owners have acted, or ended.
    await this.#removeOld("claims", ABANDONED_MS, signal);
    await this.#removeOld("audit", AUDIT_DAYS * DAY_MS, signal);
    return { removed, forgotten };
  }

  async #findGone(
    read: Read,
    standings: ReadonlyMap<string, Standing>,
  ): Promise<readonly GoneRows[]> {
    const { database } = this.#parts.cluster.settings;
    const nowMs = this.#parts.nowMs();
    const isOfDeleted = (rows: StoredRows): boolean => isDeleted(standings, rows);
    const stored = storedIn(await read(storedQuery(database)));
    const copies = copiesIn(await read(copiesQuery(database)));
    const sources = sourcesIn(await read(goneSourcesQuery(database)));
    const rivals = setAsideIn(await read(rivalsQuery(database)));
    const withdrawn = sources.filter((each) => !isOfDeleted(each)).map(goneSource);
    return [
      ...stored.filter(isOfDeleted).map(goneLoadTest),
      ...(await this.#remaining(read, withdrawn)),
      ...rivals.filter((each) => !isOfDeleted(each)),
      ...copies.filter((each) => !isInUse(standings, each, nowMs)).map(goneCopy),
    ];
  }

  /** Those of sources, or of load tests with minutes, that still have rows. */
  async #remaining(read: Read, gone: readonly GoneRows[]): Promise<readonly GoneRows[]> {
    const { database } = this.#parts.cluster.settings;
    const asked = gone.filter((each) => !this.#clean.has(keyOf(each)));
    const found: GoneRows[] = [];
    for (const chunk of chunksOf(asked, AT_ONCE)) {
      found.push(...remainingIn(await read(remainingQuery(database, chunk)), chunk));
    }
    this.#noteClean(asked, found);
    return found;
  }

  /** Rows of an unpublished file become obsolete an hour later. */
  async #forgetAbandoned(read: Read): Promise<number> {
    const { cluster, attributes, writers, nowMs } = this.#parts;
    const blocks = await read(abandonedQuery(cluster.settings.database, nowMs() - ABANDONED_MS));
    const notes = blocks.flatMap((block) => block.strings("a_text"));
    let forgotten = 0;
    for (const [at, { loadTestId, incarnation }] of storedIn(blocks).entries()) {
      const { stored } = await attributes.standing(loadTestId);
      if (stored?.shardKey.incarnation !== incarnation) continue;
      const { sourceId } = JSON.parse(notes[at] as string) as BatchNote;
      await writers
        .of(stored.shardKey)
        .runExclusive(() => new LoadTestSources(this.#parts, stored).discard(sourceId));
      forgotten += 1;
    }
    return forgotten;
  }

  #isDue(rows: GoneRows, before: ReadonlyMap<string, number>): boolean {
    const nowMs = this.#parts.cluster.clock.clockMs();
    const sinceMs = before.get(keyOf(rows)) ?? nowMs;
    this.#gone.set(keyOf(rows), sinceMs);
    return nowMs - sinceMs >= GONE_MS;
  }

  async #isRemoving(read: Read): Promise<boolean> {
    const { database } = this.#parts.cluster.settings;
    return countIn(await read(removalsQuery(database))) > 0;
  }

  async #remove(replicas: Replicas, rows: readonly GoneRows[]): Promise<void> {
    const { database } = this.#parts.cluster.settings;
    for (const own of Map.groupBy(rows, ({ table }) => table).values()) {
      await replicas.command(removeRows(database, own), { preference: 0 });
    }
  }

  /** The rows are the same on all servers. */
  async #removeOld(
    table: ExpiringTable,
    ageMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { cluster, nowMs } = this.#parts;
    const { database } = cluster.settings;
    const beforeMs = nowMs() - ageMs;
    const options = { preference: 0, signal };
    const old = await cluster.everywhere.read(oldRowsQuery(database, table, beforeMs), options);
    if (countIn(old) === 0) return;
    await cluster.everywhere.command(removeOldRows(database, table, beforeMs), options);
  }

  /** Deleting it is harmless, even if more batches arrive: they are invisible. */
  #noteClean(asked: readonly GoneRows[], remaining: readonly GoneRows[]): void {
    if (this.#clean.size > KNOWN_MAX) this.#clean.clear();
    const left = new Set(remaining.map(keyOf));
    for (const key of asked.map(keyOf)) if (!left.has(key)) this.#clean.add(key);
  }
}

function keyOf({ table, key, tuple, condition }: GoneRows): string {
  return `${table} ${condition} ${key} ${tuple}`;
}

/** Load tests of a shard with minutes, unless others may be in progress. */
function mergedOn(
  shard: number,
  standings: ReadonlyMap<string, Standing>,
  nowMs: number,
): readonly GoneRows[] {
  return [...standings.values()].flatMap(({ stored }): GoneRows | [] => {
    if (stored?.minutes === undefined || stored.shardKey.shard !== shard) return [];
    if ((stored.compacting?.untilMs ?? 0) > nowMs) return [];
    return mergedPoints(stored.shardKey, stored.minutes);
  });
}

/** Unknown load tests stay: they may be newer than the list that was read. */
function isDeleted(
  standings: ReadonlyMap<string, Standing>,
  { loadTestId, incarnation }: StoredRows,
): boolean {
  const standing = standings.get(loadTestId);
  if (standing === undefined) return false;
  const { stored, nextIncarnation } = standing;
  return incarnation < (stored?.shardKey.incarnation ?? nextIncarnation);
}

/** Whether the copy is readable or may be in progress. */
function isInUse(
  standings: ReadonlyMap<string, Standing>,
  rows: ReturnType<typeof copiesIn>[number],
  nowMs: number,
): boolean {
  const stored = standings.get(rows.loadTestId)?.stored;
  if (stored?.shardKey.incarnation !== rows.incarnation) return !isDeleted(standings, rows);
  const { compaction, compacting } = stored;
  if (compaction !== undefined && compactionNumber(compaction) === rows.copy) return true;
  return compacting !== undefined && compacting.untilMs > nowMs;
}
