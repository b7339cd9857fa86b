/**
 * Source manifest of a load test: its sources and their progress, in a few small rows. Readers fetch it from
 * all replicas and then read from one that lacks nothing.
 */

import { asError, UserError } from "../../../model/errors.ts";
import type { NodeAnswer } from "../cluster/replica-round.ts";
import { countedOf } from "../write/counted-batches.ts";
import type { Replicas } from "../cluster/replicas.ts";
import { preferenceOf, type ShardKey } from "../catalogue/attributes.ts";
import { idLiteral, integerLiteral } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
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

export interface ManifestOptions {
  readonly database: string;
  readonly clockMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
}

/**
 * How far back batches are listed individually: longer than a batch is in flight, and than the clock skew.
 */
const LATEST_MS = 5 * 60_000;

/** How long a reader waits for a complete replica. */
const CATCH_UP_MS = 5000;
const CATCH_UP_STEP_MS = 20;

/** Reads the manifests of load tests of one shard. Throws `store-unreachable`, `store-behind`. */
export async function readManifests(
  replicas: Replicas,
  shardKeys: readonly ShardKey[],
  { database, clockMs, wait, nowMs }: ManifestOptions,
): Promise<SourceManifests> {
  const latestFromMs = Math.max(0, Math.floor(nowMs()) - LATEST_MS);
  const sql = manifestQuery(database, shardKeys, latestFromMs);
  const giveUpMs = clockMs() + CATCH_UP_MS;
  for (;;) {
    const answers = await replicas.readEach(sql, { preference: preferenceOf(shardKeys[0]) });
    const found = answers.map((answer) => ({
      node: answer.node,
      rows: rowsOf(answer, latestFromMs),
    }));
    const whole = found.find(({ rows }) => found.every((other) => includes(rows, other.rows)));
    const manifests = whole && (await manifestsOf(replicas, shardKeys, { ...whole, database }));
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
  readonly key: string;
  readonly loadTestId: string;
  readonly isEvent: boolean;
  /** Whether several contents are stored under one number. */
  readonly hasRivals: boolean;
  readonly text: string;
  /** A list as JSON; empty if no batch has one. */
  readonly unrecordedText: string;
}

/**
 * Sequence numbers are listed only if others may come between them: unless they are complete up to the last,
 * or each batch names its predecessor.
 */
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
  const rows = blocks.flatMap((block) => rowsIn(block, latestFromMs));
  return new Map(rows.map((row) => [row.key, row]));
}

function rowsIn(block: NativeBlock, latestFromMs: number): ManifestRow[] {
  const text = (name: string) => block.strings(name);
  const number = (name: string) => block.numbers(name);
  const [ids, texts] = [text("load_test_id"), text("a_text")];
  const unrecordedTexts = text("a_unrecorded");
  const [kinds, events] = [number("kind"), number("a_event")];
  const [batches, lasts, linked, links] = ["a_batches", "a_last", "a_linked", "a_links"].map(
    number,
  );
  const [numbers, mixes] = [block.bigints("source"), block.bigints("a_mix")];
  const [requests, failed] = [block.bigints("a_requests"), block.bigints("a_failed_requests")];
  const [froms, untils] = [number("a_from"), number("a_until")];
  const [storedAt, sequencesOf] = [number("a_stored_at_ms"), number("a_sequences")];
  const [writers, lastWriters] = [block.bigints("a_writer"), block.bigints("a_last_writer")];
  const [isMixed, latest] = [number("a_is_mixed"), block.arrays("a_latest")];
  return ids.map((loadTestId, row) => {
    const [first, end] = [latest.from[row] as number, latest.from[row + 1] as number];
    const sequences = isMixed[row] === 1 ? [...latest.values.subarray(first, end)] : undefined;
    return {
      key: `${loadTestId} ${kinds[row]} ${numbers[row]} ${events[row]}`,
      loadTestId,
      isEvent: kinds[row] === 0,
      number: numbers[row] as bigint,
      batches: batches?.[row] as number,
      lastSequence: lasts?.[row] as number,
      sequences: undefined,
      latest: sequences && { storedFromMs: latestFromMs, sequences },
      mix: mixes[row] as bigint,
      // Above 2^53 - 1 they are refused when they are published.
      requests: Number(requests[row]),
      failedRequests: Number(failed[row]),
      fromSecond: untils[row] === 0 ? 0 : (froms[row] as number),
      untilSecond: untils[row] as number,
      storedAtMs: storedAt[row] as number,
      hasConflicts: linked?.[row] !== links?.[row],
      hasRivals: sequencesOf[row] !== batches?.[row],
      soleWriter: writers[row] === lastWriters[row] ? writers[row] : undefined,
      text: texts[row] as string,
      unrecordedText: unrecordedTexts[row] as string,
    };
  });
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
  {
    node,
    rows,
    database,
  }: { node: Node; rows: ReadonlyMap<string, ManifestRow>; database: string },
): Promise<SourceManifests> {
  const byLoadTest = Map.groupBy(rows.values(), ({ loadTestId }) => loadTestId);
  const manifests = shardKeys.map(async (shardKey) => {
    const own = byLoadTest.get(shardKey.loadTestId) ?? [];
    const events = own.filter(({ isEvent }) => isEvent).map(eventOf);
    const groups = own.filter(({ isEvent }) => !isEvent);
    const counted = groups.map(async (row) =>
      row.hasConflicts || row.hasRivals
        ? countedOf(replicas, node, { shardKey, group: groupOf(row), database })
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
