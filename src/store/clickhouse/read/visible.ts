/** Visible rows of a load test as a query condition, and a digest of that set. */

import { createHash } from "node:crypto";
import { idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { Minutes, ShardKey, StoredLoadTest } from "../catalogue/attributes.ts";
import type { StoredContents } from "../write/contents-choice.ts";
import {
  type Invented,
  inventedIn,
  type LatestBatches,
  type StoredSource,
} from "../catalogue/sources.ts";

/** From this many distinct lengths on, sources are looked up in a list instead of compared one by one. */
const COMPARISONS_MAX = 50;

/** Batches of a source that count, of all that may exist by now. */
export interface SourceRows {
  readonly number: bigint;
  /** Largest sequence number. */
  readonly last: number;
  /** Those that count, if there are others that do not. */
  readonly sequences?: readonly number[] | undefined;
  readonly latest?: LatestBatches | undefined;
  /** Contents that do not count. */
  readonly setAside?: readonly StoredContents[];
  /** Which part of their distributions is invented. */
  readonly invented?: Invented;
}

export function visibleRows(sources: readonly StoredSource[]): readonly SourceRows[] {
  return sources.flatMap((source) => {
    const { isVisible, number, batches, published } = source;
    if (!isVisible || batches === undefined) return [];
    const invented = inventedIn(source);
    const more = {
      ...(batches.setAside.length > 0 && { setAside: batches.setAside }),
      ...(invented !== undefined && { invented }),
    };
    // A file has the batches that it was published with; later ones do not count.
    if (published !== undefined) return [{ number, last: published.batches - 1, ...more }];
    const { lastSequence: last, sequences, latest } = batches;
    return [{ number, last, sequences, latest, ...more }];
  });
}

/** Condition for the rows of a load test, by the sorting key of its table. */
export function ofShardKey({ loadTestId, incarnation, testDay }: ShardKey): string {
  return (
    `load_test_id = ${idLiteral(loadTestId)} AND incarnation = ${integerLiteral(incarnation)} ` +
    `AND test_day = toDate(${integerLiteral(testDay)})`
  );
}

/** Batches of a load test, at least one, and where their points are. */
export interface VisibleRows {
  readonly database: string;
  readonly shardKey: ShardKey;
  readonly rows: readonly SourceRows[];
  readonly minutes: Minutes | undefined;
}

/** Sequence numbers from here are those of points merged into minutes. */
export const MINUTES_FROM = 2n ** 63n;

/** Condition for points that came so, and are not merged from others. */
export const IS_ORIGINAL = `sequence < toUInt64(${MINUTES_FROM})`;

/** Condition for the points of these batches. */
export function pointRows({ shardKey, rows, minutes }: VisibleRows): string {
  return `${ofShardKey(shardKey)} AND kind = 'point' AND ${ofVisiblePoints(rows, minutes)}`;
}

/** The same for rows that are known to be points of the load test. */
export function ofVisiblePoints(rows: readonly SourceRows[], minutes: Minutes | undefined): string {
  if (minutes === undefined) return inBatches(rows);
  const merged = `sequence = toUInt64(${unsigned64Literal(BigInt(minutes.number))})`;
  const since = `stored_at_ms >= ${integerLiteral(minutes.beforeMs)}`;
  return `((${merged} AND ${isOneOf(rows)}) OR (${since} AND ${inBatches(rows)}))`;
}

/** Condition for the rows of these batches, at least one. */
export function inBatches(rows: readonly SourceRows[]): string {
  const bounded = rows.filter(
    ({ sequences, latest, setAside }) => (sequences ?? latest ?? setAside) === undefined,
  );
  const byLast = Map.groupBy(bounded, ({ last }) => last);
  const conditions = rows.filter((each) => !bounded.includes(each)).map(isListed);
  if (byLast.size > COMPARISONS_MAX) conditions.push(belowLookedUp(bounded));
  else
    conditions.push(
      ...[...byLast].map(
        ([last, group]) => `${isOneOf(group)} AND sequence <= ${integerLiteral(last)}`,
      ),
    );
  return `(${conditions.map((condition) => `(${condition})`).join(" OR ")})`;
}

function isListed({ number, last, sequences, latest, setAside = [] }: SourceRows): string {
  const conditions = [`source = ${unsigned64Literal(number)}`];
  if (sequences !== undefined) conditions.push(isIn(sequences));
  else if (latest === undefined) conditions.push(`sequence <= ${integerLiteral(last)}`);
  else {
    const isEarlier = `stored_at_ms < ${integerLiteral(latest.storedFromMs)}`;
    conditions.push(`(${isEarlier} OR ${isIn(latest.sequences)})`);
  }
  const aside = setAside.map(
    ({ sequence, contents }) =>
      `(sequence = ${integerLiteral(sequence)} AND contents = ${integerLiteral(contents)})`,
  );
  if (aside.length > 0) conditions.push(`NOT (${aside.join(" OR ")})`);
  return conditions.join(" AND ");
}

function isIn(sequences: readonly number[]): string {
  return sequences.length === 0 ? "0" : `sequence IN (${sequences.map(integerLiteral).join(",")})`;
}

function isOneOf(group: readonly Pick<SourceRows, "number">[]): string {
  const numbers = group.map(({ number }) => unsigned64Literal(number));
  return numbers.length === 1 ? `source = ${numbers[0]}` : `source IN (${numbers.join(",")})`;
}

/** The default 0 is below every sequence number plus 1. */
function belowLookedUp(group: readonly SourceRows[]): string {
  const numbers = group.map(({ number }) => `toUInt64(${unsigned64Literal(number)})`);
  const ends = group.map(({ last }) => `toUInt64(${integerLiteral(last + 1)})`);
  return `sequence < transform(source, [${numbers.join(",")}], [${ends.join(",")}], toUInt64(0))`;
}

/**
 * Digest of the set of visible batches, and of the minutes into which points are merged. It differs from that of
 * earlier versions if invented values are excluded, because their copies and cached responses contain them.
 */
export function contentsDigest(
  sources: readonly StoredSource[],
  { minutes }: Pick<StoredLoadTest, "minutes">,
): string {
  const hash = createHash("sha256");
  if (minutes !== undefined) hash.update(`minutes ${minutes.number}\n`);
  const visible = sources.filter(({ isVisible }) => isVisible);
  for (const source of visible.toSorted(byNumber)) {
    const { number, batches } = source;
    const invented = inventedIn(source);
    const without = invented === undefined ? "" : ` without ${invented}`;
    hash.update(`${number} ${batches?.batches ?? 0} ${batches?.mix ?? 0}${without}\n`);
  }
  return hash.digest("hex").slice(0, 32);
}

/** Changes with all visible data and never repeats: event rows stay, and new load tests have a new incarnation. */
export function revisionOf(stored: StoredLoadTest, sources: readonly StoredSource[]): string {
  const { shardKey, attributesText } = stored;
  const hash = createHash("sha256").update(
    `${shardKey.loadTestId} ${shardKey.incarnation}\n${attributesText}\n`,
  );
  hash.update(contentsDigest(sources, stored));
  for (const { number, published, gone } of sources.toSorted(byNumber)) {
    if (published !== undefined) hash.update(`\n${number} published`);
    if (gone?.wasVisible === true) hash.update(`\n${number} gone`);
  }
  return hash.digest("base64url").slice(0, 22);
}

function byNumber(left: StoredSource, right: StoredSource): number {
  if (left.number === right.number) return 0;
  return left.number < right.number ? -1 : 1;
}
