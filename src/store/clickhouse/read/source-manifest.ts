/** Source manifest of a load test: its sources and their progress in a few small rows, of all replicas, to find a complete one. */

import { asError, UserError } from "../../../model/errors.ts";
import type { NodeAnswer } from "../cluster/replica-round.ts";
import { countedOf } from "../write/counted-batches.ts";
import type { Replicas } from "../cluster/replicas.ts";
import { preferenceOf, type ShardKey } from "../catalogue/attributes.ts";
import { idLiteral, integerLiteral } from "../cluster/literals.ts";
import { asBigint, asFlag, asNumber, asNumberLists, rowsIn, asText } from "../native/rows-in.ts";
import type { Node } from "../cluster/node.ts";
import {
  type BatchGroup,
  type BatchNote,
  type GoneEvent,
  type PublishedEvent,
  type SourceEvent,
  sourcesOf,
  type StoredSource,
} from "../catalogue/sources.ts";
import { ofShardKey } from "./visible.ts";
import { RequestCoalescer } from "../../../concurrency/request-coalescer.ts";

/** The sources of one load test, read from one replica in one query. */
export interface SourceManifest {
  readonly shardKey: ShardKey;
  readonly sources: readonly StoredSource[];
}

/** Manifests of load tests of one shard, and the replica that has them. */
export interface SourceManifests {
  readonly node: Node;
  readonly byId: ReadonlyMap<string, SourceManifest>;
}

/** Returns the sources of one of these load tests. */
export function sourcesIn(
  { byId }: SourceManifests,
  { loadTestId }: Pick<ShardKey, "loadTestId">,
): readonly StoredSource[] {
  return byId.get(loadTestId)?.sources ?? [];
}

/** How far back batches are listed individually: longer than a batch is in flight, and than the clock skew. */
const LATEST_MS = 5 * 60_000;

/** How long a reader waits for a complete replica. */
const CATCH_UP_MS = 5000;
const CATCH_UP_STEP_MS = 20;

/** Reads the manifests of load tests of one shard. Throws `store-unreachable`, `store-behind`. */
export async function readManifests(
  replicas: Replicas,
  shardKeys: readonly ShardKey[],
  nowMs: number,
): Promise<SourceManifests> {
  const { clockMs, wait } = replicas.clock;
  const latestFromMs = Math.max(0, Math.floor(nowMs) - LATEST_MS);
  const sql = manifestQuery(replicas.settings.database, shardKeys, latestFromMs);
  const giveUpMs = clockMs() + CATCH_UP_MS;
  for (;;) {
    const answers = await replicas.readEach(sql, { preference: preferenceOf(shardKeys[0]) });
    const found = answers.map((answer) => ({
      node: answer.node,
      rows: rowsOf(answer, latestFromMs),
    }));
    const whole = found.find(({ rows }) => found.every((other) => includes(rows, other.rows)));
    const manifests = whole && (await manifestsOf(replicas, shardKeys, whole));
    const isAll = answers.length === replicas.nodes.length;
    if (manifests !== undefined && [...manifests.byId.values()].every(isComplete)) {
      // Replicas that replicated from an unreachable one still know what it has.
      if (isAll || (await replicas.isFit(manifests.node).catch(() => false))) return manifests;
    }
    if (clockMs() > giveUpMs) throw behind(shardKeys);
    await wait(CATCH_UP_STEP_MS);
  }
}

function behind(shardKeys: readonly ShardKey[]): UserError {
  const names = shardKeys.map(({ loadTestId }) => `"${loadTestId}"`).slice(0, 3);
  return new UserError(
    "store-behind",
    `cannot read load test ${names.join(", ")}: for ${CATCH_UP_MS / 1000} s each replica has lacked ` +
      `batches that another one has`,
  );
}

/** A group of rows: an event, or all batches of a source, including discarded ones. */
interface ManifestRow extends Omit<BatchGroup, "about" | "setAside"> {
  readonly loadTestId: string;
  readonly isEvent: boolean;
  /** Whether several contents are stored under one number. */
  readonly hasRivals: boolean;
  readonly text: string;
  /** A list as JSON; empty if no batch has one. */
  readonly unrecordedText: string;
}

/** Lists sequence numbers only if others may come between: not if they are complete, or each batch names its predecessor. */
function manifestQuery(
  database: string,
  shardKeys: readonly ShardKey[],
  latestFromMs: number,
): string {
  return `
SELECT load_test_id, kind, source, if(kind = 'source', sequence, toUInt64(0)) AS a_event,
  count() AS a_batches, max(sequence) AS a_last,
  a_batches != a_last + 1 AND a_linked != a_batches AS a_is_mixed,
  if(a_is_mixed, groupArrayIf(sequence, stored_at_ms >= ${integerLiteral(latestFromMs)}), emptyArrayUInt64()) AS a_latest,
  countIf(follows > 0) AS a_linked, uniqExactIf(follows, follows > 0) AS a_links,
  groupBitXor(cityHash64(sequence, digest)) AS a_mix,
  sum(requests) AS a_requests, sum(failed_requests) AS a_failed_requests,
  min(if(from_second = 0, 4294967295, from_second)) AS a_from, max(until_second) AS a_until,
  argMin(text, sequence) AS a_text,
  argMaxIf(visitParamExtractRaw(text, 'unrecorded'), sequence, visitParamHas(text, 'unrecorded')) AS a_unrecorded,
  max(stored_at_ms) AS a_stored_at_ms,
  uniqExact(sequence) AS a_sequences, min(writer) AS a_writer, max(writer) AS a_last_writer
FROM ${database}.measurements FINAL
WHERE kind IN ('source', 'batch') AND ${anyShardKey(shardKeys)}
GROUP BY load_test_id, kind, source, a_event`;
}

export function anyShardKey(shardKeys: readonly ShardKey[]): string {
  const [first] = shardKeys;
  if (shardKeys.length === 1 && first !== undefined) return ofShardKey(first);
  const ids = shardKeys.map(({ loadTestId }) => idLiteral(loadTestId));
  const pairs = shardKeys.map(
    ({ loadTestId, incarnation }) => `(${idLiteral(loadTestId)}, ${integerLiteral(incarnation)})`,
  );
  return `load_test_id IN (${ids.join(",")}) AND (load_test_id, incarnation) IN (${pairs.join(",")})`;
}

function rowsOf({ blocks }: NodeAnswer, latestFromMs: number): ReadonlyMap<string, ManifestRow> {
  const rows = rowsIn(blocks, {
    loadTestId: asText("load_test_id"),
    isBatch: asFlag("kind"),
    number: asBigint("source"),
    event: asNumber("a_event"),
    batches: asNumber("a_batches"),
    lastSequence: asNumber("a_last"),
    isMixed: asFlag("a_is_mixed"),
    latest: asNumberLists("a_latest"),
    linked: asNumber("a_linked"),
    links: asNumber("a_links"),
    mix: asBigint("a_mix"),
    // Above 2^53 - 1 they are refused when they are published.
    requests: asBigint("a_requests"),
    failedRequests: asBigint("a_failed_requests"),
    fromSecond: asNumber("a_from"),
    untilSecond: asNumber("a_until"),
    storedAtMs: asNumber("a_stored_at_ms"),
    sequences: asNumber("a_sequences"),
    writer: asBigint("a_writer"),
    lastWriter: asBigint("a_last_writer"),
    text: asText("a_text"),
    unrecordedText: asText("a_unrecorded"),
  });
  return new Map(
    rows.map(({ isBatch, event, isMixed, latest, linked, links, writer, lastWriter, ...row }) => {
      const manifestRow: ManifestRow = {
        ...row,
        isEvent: !isBatch,
        sequences: undefined,
        latest: isMixed ? { storedFromMs: latestFromMs, sequences: latest } : undefined,
        requests: Number(row.requests),
        failedRequests: Number(row.failedRequests),
        fromSecond: row.untilSecond === 0 ? 0 : row.fromSecond,
        hasConflicts: linked !== links,
        hasRivals: row.sequences !== row.batches,
        soleWriter: writer === lastWriter ? writer : undefined,
      };
      return [`${row.loadTestId} ${isBatch} ${row.number} ${event}`, manifestRow];
    }),
  );
}

/** Whether one manifest includes the other. */
function includes(
  one: ReadonlyMap<string, ManifestRow>,
  other: ReadonlyMap<string, ManifestRow>,
): boolean {
  return [...other].every(([key, theirs]) => {
    const ours = one.get(key);
    if (ours === undefined || ours.batches < theirs.batches) return false;
    // Having more batches is not enough: each replica may have some that the other has not fetched yet.
    if (ours.lastSequence < theirs.lastSequence) return false;
    return ours.batches > theirs.batches || ours.mix === theirs.mix;
  });
}

/** Whether all batches of published files exist: they did when the file was published. */
function isComplete({ sources }: SourceManifest): boolean {
  return sources.every(
    ({ isVisible, published, batches }) =>
      !isVisible || published === undefined || published.batches <= (batches?.batches ?? 0),
  );
}

async function manifestsOf(
  replicas: Replicas,
  shardKeys: readonly ShardKey[],
  { node, rows }: { readonly node: Node; readonly rows: ReadonlyMap<string, ManifestRow> },
): Promise<SourceManifests> {
  const byLoadTest = Map.groupBy(rows.values(), ({ loadTestId }) => loadTestId);
  const manifests = shardKeys.map(async (shardKey) => {
    const own = byLoadTest.get(shardKey.loadTestId) ?? [];
    const events = own.filter(({ isEvent }) => isEvent).map(eventOf);
    const groups = own.filter(({ isEvent }) => !isEvent);
    const counted = groups.map(async (row) =>
      row.hasConflicts || row.hasRivals
        ? countedOf(replicas, node, shardKey, groupOf(row))
        : groupOf(row),
    );
    return { shardKey, sources: sourcesOf(await Promise.all(counted), events) };
  });
  const all = await Promise.all(manifests);
  return { node, byId: new Map(all.map((manifest) => [manifest.shardKey.loadTestId, manifest])) };
}

function groupOf({ text, unrecordedText, ...row }: ManifestRow): BatchGroup {
  const unrecorded = unrecordedText === "" ? undefined : JSON.parse(unrecordedText);
  return { ...row, about: { ...(JSON.parse(text) as BatchNote), unrecorded }, setAside: [] };
}

function eventOf({ text, number, storedAtMs }: ManifestRow): SourceEvent {
  return { ...(JSON.parse(text) as PublishedEvent | GoneEvent), number, storedAtMs };
}

/** Coalesces concurrent requests for manifests. */
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
      const each = shardKeys.map((shardKey) => this.#read([shardKey]).catch(asError));
      const answers = await Promise.all(each);
      return new Map(keys.map((key, at) => [key, answers[at] as SourceManifests | Error]));
    }
  }
}
