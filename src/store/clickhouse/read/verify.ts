import { ROLES } from "../../../model/role.ts";
import { UserError } from "../../../model/errors.ts";
import type { Damage } from "../../store.ts";
import { detailsIn, detailsQuery, measuresIn, reportedIn, usersIn } from "../batch-details.ts";
import { endpointHash } from "./endpoint-hash.ts";
import { openKeys } from "../catalogue/keys.ts";
import { sourcesIn } from "./source-manifest.ts";
import type { StoredLoadTest } from "../catalogue/attributes.ts";
import { labelsIn, labelsQuery } from "./label-rows.ts";
import type { NativeBlock } from "../native/native-block.ts";
import type { ClickHouseParts } from "../parts.ts";
import {
  compactionNumber,
  copyCount,
  copyTally,
  differencesOf,
  pointsTally,
  tallyIn,
} from "../compaction/compaction-queries.ts";
import { asBigint, countIn, asFixedText, asNumber, rowsIn } from "../native/rows-in.ts";
import type { StoredSource } from "../catalogue/sources.ts";
import {
  contentsDigest,
  inBatches,
  ofShardKey,
  ofVisiblePoints,
  pointRows,
  type VisibleRows,
  visibleRows,
} from "./visible.ts";
import { shardAt } from "../cluster/cluster.ts";

/**
 * Reads all visible data from each replica, compares redundant information, and names contents discarded in favour of
 * others under their number. Yields one line per damage. Throws `store-unreachable` if a replica cannot be queried.
 */
export async function* verifyStore(parts: ClickHouseParts): AsyncGenerator<Damage> {
  const { attributes, cluster, nowMs } = parts;
  yield* reported(undefined, "the keys", async () => void (await openKeys(cluster, nowMs).list()));
  const loadTests: StoredLoadTest[] = [];
  yield* reported(undefined, "the list of load tests", async () => {
    const standings = [...(await attributes.all()).values()];
    loadTests.push(...standings.flatMap(({ stored }) => stored ?? []));
  });
  for (const stored of loadTests) yield* verifyLoadTest(parts, stored);
}

async function* verifyLoadTest(
  parts: ClickHouseParts,
  stored: StoredLoadTest,
): AsyncGenerator<Damage> {
  const { shardKey } = stored;
  const { loadTestId } = shardKey;
  let sources: readonly StoredSource[] = [];
  yield* reported(loadTestId, "its sources", async () => {
    const manifests = await parts.writers.of(shardKey).manifests([shardKey]);
    sources = sourcesIn(manifests, shardKey).filter(({ isVisible }) => isVisible);
  });
  for (const message of setAsideIn(sources)) yield { loadTestId, message };
  const rows = visibleRows(sources);
  if (rows.length === 0) return;
  const { database } = parts.cluster.settings;
  const shard = shardAt(parts.cluster, shardKey);
  for (const node of shard.nodes) {
    const read: Read = (sql) => shard.readOn(node, sql);
    const copied = { database, shardKey, rows, minutes: stored.minutes };
    yield* reported(loadTestId, `on ${node.url}`, () => verifySources(read, copied, sources));
    yield* reported(loadTestId, `on ${node.url}`, () => verifyLabels(read, copied));
    yield* reported(loadTestId, `on ${node.url}`, () => verifyDetails(read, copied));
    yield* reported(loadTestId, `on ${node.url}`, () =>
      verifyCopy(read, copied, { stored, sources }),
    );
  }
}

/** They are never visible, and their writer got an error, unless it was an earlier version. */
function setAsideIn(sources: readonly StoredSource[]): readonly string[] {
  return sources.flatMap(({ sourceId, batches }) =>
    (batches?.setAside ?? []).map(
      ({ sequence, requests }) =>
        `source "${sourceId}": batch ${sequence} was stored with other contents, too: those with ` +
        `${requests} requests are set aside`,
    ),
  );
}

type Read = (sql: string) => Promise<readonly NativeBlock[]>;

async function verifySources(
  read: Read,
  copied: VisibleRows,
  sources: readonly StoredSource[],
): Promise<void> {
  const rows = rowsIn(await read(sourceTalliesQuery(copied)), {
    number: asBigint("source"),
    requests: asBigint("a_batch_requests"),
    failedRequests: asBigint("a_batch_failed"),
    ofPoints: asBigint("a_point_requests"),
    failedOfPoints: asBigint("a_point_failed"),
    batches: asNumber("a_batches"),
    lastSequence: asNumber("a_last"),
  });
  const tallies = new Map(rows.map((row) => [row.number, row]));
  for (const { number: source, sourceId, published } of sources) {
    const tally = tallies.get(source);
    if (tally === undefined) continue;
    const { batches, lastSequence, requests, failedRequests } = tally;
    for (const [name, want, got] of [
      ["requests", requests, tally.ofPoints],
      ["failedRequests", failedRequests, tally.failedOfPoints],
    ] as const) {
      if (want === got) continue;
      throw wrong(
        `source "${sourceId}": ${name} of its points are ${got}, its batches say ${want}`,
      );
    }
    if (published === undefined || published.batches === 0) continue;
    if (batches === published.batches && lastSequence === batches - 1) continue;
    throw wrong(
      `file "${sourceId}": it has ${batches} batches up to number ${lastSequence}, and was ` +
        `published with ${published.batches}`,
    );
  }
}

async function verifyLabels(read: Read, copied: VisibleRows): Promise<void> {
  const { database, shardKey, rows } = copied;
  const labels = labelsIn(await read(labelsQuery(database, shardKey, rows)));
  for (const { hash, label, role } of labels) {
    const own = endpointHash(label);
    if (own !== hash) throw wrong(`label "${label}": its hash is ${own}, not ${hash}`);
    if (ROLES[role] === undefined) throw wrong(`label "${label}": it has no known role: ${role}`);
  }
  const known = new Set(labels.map(({ hash }) => hash));
  const hashes = rowsIn(await read(hashesQuery(copied)), { hash: asFixedText("endpoint_hash") });
  const unknown = hashes.flatMap(({ hash }) => (known.has(hash) ? [] : hash));
  if (unknown.length === 0) return;
  throw wrong(`${unknown.length} endpoints have points and no label, the first is ${unknown[0]}`);
}

async function verifyDetails(read: Read, copied: VisibleRows): Promise<void> {
  const { database, shardKey, rows } = copied;
  const labels = labelsIn(await read(labelsQuery(database, shardKey, rows)));
  const numbers = new Map(labels.map(({ hash }, number) => [hash, number]));
  for (const details of detailsIn(await read(detailsQuery(copied)))) {
    usersIn(details);
    reportedIn(details, (hash) => numbers.get(hash));
    const measures = measuresIn(details, (hash) => numbers.get(hash));
    for (const number of measures?.series.keys() ?? []) measures?.table(number);
  }
}

/** Reads all points, whether or not there is a copy. */
async function verifyCopy(
  read: Read,
  copied: VisibleRows,
  { stored, sources }: { stored: StoredLoadTest; sources: readonly StoredSource[] },
): Promise<void> {
  const points = tallyIn(await read(pointsTally(copied)));
  const { shardKey, compaction } = stored;
  if (compaction?.contents !== contentsDigest(sources, stored)) return;
  const number = compactionNumber(compaction);
  const rows = countIn(await read(copyCount(copied.database, shardKey, number)));
  if (rows !== compaction.rows) {
    throw wrong(`its copy has ${rows} of ${compaction.rows} rows, and is not read there`);
  }
  const copy = tallyIn(await read(copyTally(copied, number, compaction.hasOutcomes ?? false)));
  const differences = differencesOf(points, copy);
  if (differences.length === 0) return;
  const names = differences.map((name) => name.replace(/^a_/, "")).join(", ");
  throw wrong(`its copy differs from its points in ${names}`);
}

function wrong(message: string): UserError {
  return new UserError("damaged-store", message);
}

/** Returns what `check` finds, as one line. */
async function* reported(
  loadTestId: string | undefined,
  where: string,
  check: () => Promise<void>,
): AsyncGenerator<Damage> {
  try {
    await check();
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield { loadTestId, message: `${where}: ${error.message}` };
  }
}

/** Unreadable JSON is damage, and so are rows of a published file that are missing on every replica. */
function isDamage(error: unknown): error is Error {
  if (error instanceof SyntaxError) return true;
  if (!(error instanceof UserError)) return false;
  return ["damaged-store", "store-behind", "sum-too-large"].includes(error.code);
}

/** Sums of batches and of their points, to compare. Reading lengths and digests detects unreadable bytes. */
function sourceTalliesQuery({ database, shardKey, rows, minutes }: VisibleRows): string {
  return `SELECT source, sumIf(requests, kind = 'batch') AS a_batch_requests,
  sumIf(failed_requests, kind = 'batch') AS a_batch_failed,
  sumIf(requests, kind = 'point') AS a_point_requests,
  sumIf(failed_requests, kind = 'point') AS a_point_failed,
  countIf(kind = 'batch') AS a_batches, maxIf(sequence, kind = 'batch') AS a_last,
  sum(length(text) + length(users)) AS a_bytes, groupBitXor(digest) AS a_digests
FROM ${database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind IN ('batch', 'point')
  AND if(kind = 'point', ${ofVisiblePoints(rows, minutes)}, ${inBatches(rows)}) GROUP BY source`;
}

/** Endpoints with points or failures. */
function hashesQuery(visible: VisibleRows): string {
  return `SELECT endpoint_hash FROM ${visible.database}.measurements
WHERE ${pointRows(visible)} GROUP BY endpoint_hash`;
}
