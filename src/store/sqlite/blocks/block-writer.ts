import type { DatabaseSync } from "node:sqlite";
import { checksumOf } from "../../block/envelope.ts";
import { type BlockHome, type EncodedBlock, boundBytes, rowChecksum } from "./block-rows.ts";

/** A source as the block tables identify it. */
interface BlockOwner {
  readonly loadTest: number;
  readonly number: number;
}

/** Numbers of blocks that replace others. */
export interface Exchange {
  readonly hidden: readonly number[];
  readonly replaced: readonly number[];
  readonly revision: number;
  readonly atMs: number;
}

export function openBlockWriter(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO blocks (load_test, source, kind, endpoint_group, endpoints, roles, points,
       first_second, last_second, plain_crc, distribution_crc, crc, shown_from, level)
     VALUES (:load_test, :source, :kind, :endpoint_group, :endpoints, :roles, :points,
       :first_second, :last_second, :plain_crc, :distribution_crc, 0, :shown_from, :level)`,
  );
  const check = database.prepare("UPDATE blocks SET crc = ? WHERE number = ?");
  const insertSegments = database.prepare("INSERT INTO segments VALUES (?, ?, ?)");
  const publish = database.prepare(
    "UPDATE blocks SET shown_from = ? WHERE load_test = ? AND source = ?",
  );
  const remove = database.prepare(
    `UPDATE blocks SET shown_until = ?, hidden_at_ms = ?, level = NULL
     WHERE load_test = ? AND source = ? AND shown_until IS NULL`,
  );
  const stage = database.prepare(
    "UPDATE blocks SET shown_until = 0, hidden_at_ms = ? WHERE number = ?",
  );
  const activate = database.prepare(
    "UPDATE blocks SET shown_from = ?, shown_until = NULL, hidden_at_ms = NULL WHERE number = ? AND shown_from IS NULL",
  );
  const replace = database.prepare(
    `UPDATE blocks SET shown_until = ?, hidden_at_ms = ?, level = NULL WHERE number = ? AND shown_until IS NULL`,
  );
  const settle = database.prepare("UPDATE blocks SET level = NULL WHERE number = ?");
  const discard = database.prepare(
    "UPDATE blocks SET shown_until = 0, hidden_at_ms = 0 WHERE load_test = ? AND source = ?",
  );
  const deleteAll = database.prepare(
    `UPDATE blocks SET shown_until = CASE WHEN shown_from IS NULL THEN 0 ELSE :revision END,
       hidden_at_ms = CASE WHEN shown_from IS NULL THEN 0 ELSE :atMs END, level = NULL
     WHERE load_test = :loadTest AND shown_until IS NULL`,
  );
  return {
    /** Stores a block and returns its number. */
    add({ shown_from, level, ...owner }: BlockHome, { segments, ...about }: EncodedBlock): number {
      const { plain, distribution } = segments;
      const row = {
        ...owner,
        ...about,
        plain_crc: checksumOf(plain),
        distribution_crc: distribution === undefined ? 0 : checksumOf(distribution),
      };
      const home = { shown_from: shown_from ?? null, level: level ?? null };
      const bound = { ...row, ...home, endpoints: boundBytes(row.endpoints) };
      const number = Number(insert.run(bound).lastInsertRowid);
      check.run(rowChecksum({ number, ...row }), number);
      insertSegments.run(number, plain, distribution ?? null);
      return number;
    },
    /** Hides a block that was just added, for `exchange`; otherwise it is deleted at `untilMs`. */
    stage(number: number, untilMs: number): void {
      stage.run(untilMs, number);
    },
    /**
     * Makes hidden blocks visible and deletes those they replace, from `revision` on. Returns whether all
     * blocks were in the expected state; if not, roll back the write.
     */
    exchange({ hidden, replaced, revision, atMs }: Exchange): boolean {
      return (
        replaced.every((number) => replace.run(revision, atMs, number).changes === 1) &&
        hidden.every((number) => activate.run(revision, number).changes === 1)
      );
    },
    /** Marks a block as not to be compacted any further. */
    settle(number: number): void {
      settle.run(number);
    },
    /** Makes all blocks of a staged source visible from `revision` on. */
    publish(source: BlockOwner, revision: number): void {
      publish.run(revision, source.loadTest, source.number);
    },
    /** Deletes all blocks of a visible source from `revision` on. Returns their number. */
    remove(source: BlockOwner, revision: number, atMs: number): number {
      return Number(remove.run(revision, atMs, source.loadTest, source.number).changes);
    },
    /** Deletes the blocks of a staged source, which no reader ever saw. */
    discard(source: BlockOwner): void {
      discard.run(source.loadTest, source.number);
    },
    /** Deletes all blocks of a load test, visible or not. */
    deleteAll(loadTest: number, revision: number, atMs: number): void {
      deleteAll.run({ loadTest, revision, atMs });
    },
  };
}
