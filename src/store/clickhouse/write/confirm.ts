/** Waiting until what was stored on one replica has come to another. */

import { UserError } from "../../../model/errors.ts";
import { preferenceOf, type ShardKey } from "../catalogue/attributes.ts";
import { anyShardKey, type ManifestOptions } from "../read/source-manifest.ts";
import { idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { Replicas } from "../cluster/replicas.ts";

/** Rows of one kind that were stored. */
export interface StoredRows {
  readonly kind: "batch" | "source";
  /** Each of another source or number. There is one at least. */
  readonly rows: readonly StoredRow[];
}

export interface RowIdentity {
  readonly shardKey: ShardKey;
  readonly source: bigint;
  readonly sequence: number;
}

/** The key of a batch's or an event's row. */
interface StoredRow extends RowIdentity {
  /** From `contentsKey`; 0 for an event. */
  readonly contentsKey: number;
}

/** How long an acknowledgement waits. */
const CONFIRM_MS = 2000;
const CONFIRM_STEP_MS = 5;
/** Where for so long nobody who answers has the rows, the server that took them has ended. */
const NOWHERE_MS = 200;
const INSERTS_MAX = 20;

/**
 * Stores rows until a replica that answers has them: one that took them and ended at once takes them
 * with it for as long as it is away. To store them again changes nothing. Throws what `insert`
 * throws, and `store-behind`.
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
 * Waits until a second replica has the rows, if there is one that answers: so the end of one takes
 * nothing with it that was acknowledged. After two seconds it waits no longer: they are durable on
 * one. Answers whether any that answers has them.
 */
export async function confirmRows(
  replicas: Replicas,
  { kind, rows }: StoredRows,
  { database, clockMs, wait }: ManifestOptions,
): Promise<boolean> {
  if (replicas.nodes.length < 2) return true;
  const shardKeys = [
    ...new Map(rows.map(({ shardKey }) => [shardKey.loadTestId, shardKey])).values(),
  ];
  const sql = `SELECT count() AS a_rows FROM ${database}.measurements FINAL
WHERE kind = '${kind}' AND ${anyShardKey(shardKeys)} AND ${isOneOf(rows)} AND ${hasContents(rows)}`;
  const asked = { sql, rows: rows.length, preference: preferenceOf(shardKeys[0]) };
  return confirmCount(replicas, asked, { clockMs, wait });
}

/** A question for how many of some rows a replica has. */
export interface CountQuestion {
  /** Answers the column a_rows. */
  readonly sql: string;
  /** How many there are. */
  readonly rows: number;
  readonly preference: number;
  /** How many replicas are asked: those that readers ask. @default all */
  readonly most?: number;
}

/** The same for rows that `sql` counts. */
export async function confirmCount(
  replicas: Replicas,
  { sql, rows, ...options }: CountQuestion,
  { clockMs, wait }: Pick<ManifestOptions, "clockMs" | "wait">,
): Promise<boolean> {
  if (replicas.nodes.length < 2) return true;
  const giveUpMs = clockMs() + CONFIRM_MS;
  let nowhereSinceMs = Infinity;
  while (clockMs() < giveUpMs) {
    const answers = await replicas.readEach(sql, options);
    const counts = answers.map(({ blocks }) => blocks[0]?.numbers("a_rows")[0] ?? 0);
    const having = counts.filter((count) => count >= rows);
    if (having.length >= Math.min(2, answers.length)) return true;
    nowhereSinceMs = having.length > 0 ? Infinity : Math.min(nowhereSinceMs, clockMs());
    if (clockMs() - nowhereSinceMs >= NOWHERE_MS) return false;
    await wait(CONFIRM_STEP_MS);
  }
  return true;
}

/** True for the rows with one of these identities. */
export function isOneOf(rows: readonly RowIdentity[]): string {
  const pairs = rows.map(
    ({ shardKey, source, sequence }) =>
      `(${idLiteral(shardKey.loadTestId)}, toUInt64(${unsigned64Literal(source)}), toUInt64(${integerLiteral(sequence)}))`,
  );
  return `(load_test_id, source, sequence) IN (${pairs.join(",")})`;
}

/** Contents of other batches among them make no difference: a number tells which ones it has. */
function hasContents(rows: readonly StoredRow[]): string {
  const keys = new Set(rows.map(({ contentsKey }) => contentsKey));
  return `contents IN (${[...keys].map(integerLiteral).join(",")})`;
}
