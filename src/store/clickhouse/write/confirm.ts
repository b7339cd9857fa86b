/** Waits until stored rows have reached a second replica. */

import { UserError } from "../../../model/errors.ts";
import { preferenceOf, type ShardKey } from "../catalogue/attributes.ts";
import { anyShardKey } from "../read/source-manifest.ts";
import { idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import { countIn } from "../native/rows-in.ts";
import type { Replicas } from "../cluster/replicas.ts";

export interface StoredRows {
  readonly kind: "batch" | "source";
  /** Distinct sources or numbers; at least one. */
  readonly rows: readonly StoredRow[];
}

export interface RowIdentity {
  readonly shardKey: ShardKey;
  readonly source: bigint;
  readonly sequence: number;
}

interface StoredRow extends RowIdentity {
  readonly contentsKey: number;
}

/** Maximum delay of an acknowledgement. */
const CONFIRM_MS = 2000;
const CONFIRM_STEP_MS = 5;
/** If no reachable server has the rows for this long, the server that took them is gone. */
const NOWHERE_MS = 200;
const INSERTS_MAX = 20;

/**
 * Stores rows until a reachable replica has them: one that ends right after the insert takes the rows with it.
 * Storing them again changes nothing. Throws what `insert` throws, and `store-behind`.
 */
export async function insertConfirmed(
  insert: () => Promise<void>,
  confirm: () => Promise<boolean>,
): Promise<void> {
  for (let inserts = 0; inserts < INSERTS_MAX; inserts++) {
    await insert();
    if (await confirm()) return;
  }
  throw new UserError(
    "store-behind",
    `cannot write to the store: no reachable server has the rows of ${INSERTS_MAX} inserts`,
  );
}

/**
 * Waits until a second reachable replica has the rows, so that losing one replica loses no acknowledged data.
 * Stops after two seconds, when they are durable on one only. Returns whether any reachable replica has them.
 */
export async function confirmRows(
  replicas: Replicas,
  { kind, rows }: StoredRows,
): Promise<boolean> {
  const shardKeys = [
    ...new Map(rows.map(({ shardKey }) => [shardKey.loadTestId, shardKey])).values(),
  ];
  const sql = `SELECT count() AS a_rows FROM ${replicas.settings.database}.measurements FINAL
WHERE kind = '${kind}' AND ${anyShardKey(shardKeys)} AND ${isOneOf(rows)} AND ${hasContents(rows)}`;
  const asked = { sql, rows: rows.length, preference: preferenceOf(shardKeys[0]) };
  return confirmCount(replicas, asked);
}

/** Query for how many of some rows a replica has. */
export interface CountQuestion {
  /** The query returns the column a_rows. */
  readonly sql: string;
  readonly rows: number;
  readonly preference: number;
  /** Number of replicas to query: those that readers query. @default all */
  readonly most?: number;
}

/** The same for rows counted by `sql`. */
export async function confirmCount(
  replicas: Replicas,
  { sql, rows, ...options }: CountQuestion,
): Promise<boolean> {
  const { clockMs, wait } = replicas.clock;
  // With a quorum, the server has already done so.
  if (replicas.nodes.length < 2 || replicas.settings.quorum !== undefined) return true;
  const giveUpMs = clockMs() + CONFIRM_MS;
  let nowhereSinceMs = Infinity;
  while (clockMs() < giveUpMs) {
    const answers = await replicas.readEach(sql, options);
    const counts = answers.map(({ blocks }) => countIn(blocks));
    const having = counts.filter((count) => count >= rows);
    if (having.length >= Math.min(2, answers.length)) return true;
    nowhereSinceMs = having.length > 0 ? Infinity : Math.min(nowhereSinceMs, clockMs());
    if (clockMs() - nowhereSinceMs >= NOWHERE_MS) return false;
    await wait(CONFIRM_STEP_MS);
  }
  return true;
}

export function isOneOf(rows: readonly RowIdentity[]): string {
  const pairs = rows.map(
    ({ shardKey, source, sequence }) =>
      `(${idLiteral(shardKey.loadTestId)}, toUInt64(${unsigned64Literal(source)}), toUInt64(${integerLiteral(sequence)}))`,
  );
  return `(load_test_id, source, sequence) IN (${pairs.join(",")})`;
}

/** Other contents among them do not matter: an identity includes the contents. */
function hasContents(rows: readonly StoredRow[]): string {
  const keys = new Set(rows.map(({ contentsKey }) => contentsKey));
  return `contents IN (${[...keys].map(integerLiteral).join(",")})`;
}
