/**
 * The tables of blocks and of their segments. A block is visible to a snapshot of revision r where
 * it was born at r or before and had not died by then; a staged one is not born yet.
 */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../model/errors.ts";
import type { Block } from "../block/block.ts";
import { checksum } from "../block/checksum.ts";
import { checksumOf } from "../block/envelope.ts";

/** What is known of a block without its bytes. */
export interface BlockRow {
  /** Never used again. */
  readonly number: number;
  readonly load_test: number;
  readonly source: number;
  /** All its endpoints have this number >> 4; `null` where they are mixed. */
  readonly endpoint_group: number | null;
  /** An endpoint set. */
  readonly endpoints: Uint8Array;
  readonly points: number;
  /** Both included. */
  readonly first_second: number;
  readonly last_second: number;
  readonly plain_crc: number;
  readonly distribution_crc: number;
}

/** A block that is about to be stored. */
export interface EncodedBlock extends Pick<
  BlockRow,
  "endpoint_group" | "endpoints" | "points" | "first_second" | "last_second"
> {
  readonly block: Block;
}

const COLUMNS = `number, load_test, source, endpoint_group, endpoints, points, first_second,
  last_second, plain_crc, distribution_crc, crc`;

/** Opens the rows for one connection; what changes them only within a write. */
export function openBlockRows(database: DatabaseSync) {
  const visible = database.prepare(
    `SELECT ${COLUMNS} FROM blocks
     WHERE load_test = :loadTest AND born <= :revision AND (died IS NULL OR died > :revision)
     ORDER BY number`,
  );
  const after = database.prepare(
    `SELECT ${COLUMNS} FROM blocks WHERE number > ? AND died IS NULL ORDER BY number LIMIT 1`,
  );
  const plain = database.prepare("SELECT bytes FROM plain_segments WHERE block = ?");
  const distribution = database.prepare("SELECT bytes FROM distribution_segments WHERE block = ?");
  return {
    visible: (loadTest: number, revision: number) =>
      visible.all({ loadTest, revision }).map((row) => checkedBlock(row)),
    /** The next block that has not died, by number, or `undefined`; its checksum is not looked at. */
    after: (number: number) => after.get(number) as unknown as CheckedRow | undefined,
    segment(kind: keyof Block, number: number): Uint8Array | undefined {
      const row = (kind === "plain" ? plain : distribution).get(number);
      return row?.["bytes"] as Uint8Array | undefined;
    },
  };
}

/** The same for the connection that writes. */
export function openBlockWriter(database: DatabaseSync) {
  const insert = database.prepare(
    `INSERT INTO blocks (load_test, source, endpoint_group, endpoints, points, first_second,
       last_second, plain_crc, distribution_crc, crc, born)
     VALUES (:load_test, :source, :endpoint_group, :endpoints, :points, :first_second,
       :last_second, :plain_crc, :distribution_crc, 0, :born)`,
  );
  const check = database.prepare("UPDATE blocks SET crc = ? WHERE number = ?");
  const insertPlain = database.prepare("INSERT INTO plain_segments VALUES (?, ?)");
  const insertDistribution = database.prepare("INSERT INTO distribution_segments VALUES (?, ?)");
  const bear = database.prepare("UPDATE blocks SET born = ? WHERE source = ?");
  const bury = database.prepare(
    "UPDATE blocks SET died = ?, died_at_ms = ? WHERE source = ? AND died IS NULL",
  );
  const drop = database.prepare("UPDATE blocks SET died = 0, died_at_ms = 0 WHERE source = ?");
  const buryAll = database.prepare(
    `UPDATE blocks SET died = CASE WHEN born IS NULL THEN 0 ELSE :revision END,
       died_at_ms = CASE WHEN born IS NULL THEN 0 ELSE :atMs END
     WHERE load_test = :loadTest AND died IS NULL`,
  );
  return {
    /** Stores a block of a source; `born` is `undefined` while the source is staged. */
    add(
      owner: { readonly load_test: number; readonly source: number },
      { block, ...about }: EncodedBlock,
      born: number | undefined,
    ): void {
      const row = {
        ...owner,
        ...about,
        plain_crc: checksumOf(block.plain),
        distribution_crc: checksumOf(block.distribution),
      };
      const number = Number(insert.run({ ...row, born: born ?? null }).lastInsertRowid);
      check.run(rowChecksum({ number, ...row }), number);
      insertPlain.run(number, block.plain);
      insertDistribution.run(number, block.distribution);
    },
    /** Makes all blocks of a staged source visible from `revision` on. */
    bear(source: number, revision: number): void {
      bear.run(revision, source);
    },
    /** Takes all blocks of a visible source away from `revision` on. */
    bury(source: number, revision: number, atMs: number): void {
      bury.run(revision, atMs, source);
    },
    /** Gives up the blocks of a staged source, which no reader ever saw. */
    drop(source: number): void {
      drop.run(source);
    },
    /** Does the same with all blocks of a load test, visible or not. */
    buryAll(loadTest: number, revision: number, atMs: number): void {
      buryAll.run({ loadTest, revision, atMs });
    },
  };
}

export type BlockRows = ReturnType<typeof openBlockRows>;
export type BlockWriter = ReturnType<typeof openBlockWriter>;
export type CheckedRow = BlockRow & { readonly crc: number };

/** Whether the row is what was written. */
export function isIntact({ crc, ...row }: CheckedRow): boolean {
  return crc === rowChecksum(row);
}

function checkedBlock(found: unknown): BlockRow {
  const row = found as CheckedRow;
  if (isIntact(row)) return row;
  throw new UserError("damaged-store", `the row of block ${row.number} does not fit its checksum`);
}

function rowChecksum(row: BlockRow): number {
  return checksum(
    JSON.stringify([
      row.number,
      row.load_test,
      row.source,
      row.endpoint_group,
      Buffer.from(row.endpoints).toString("hex"),
      row.points,
      row.first_second,
      row.last_second,
      row.plain_crc,
      row.distribution_crc,
    ]),
  );
}
