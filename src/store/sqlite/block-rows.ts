/**
 * The tables of blocks and of their segments. A block is visible to a snapshot of revision r where
 * it was born at r or before and had not died by then; a staged one is not born yet.
 */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../model/errors.ts";
import type { Block } from "../block/block.ts";
import { checksum } from "../block/checksum.ts";
import { checksumOf } from "../block/envelope.ts";

/** What the rows of a block are. */
export type BlockKind = "points" | "failures" | "users";

/** What is known of a block without its bytes. */
export interface BlockRow {
  /** Never used again. */
  readonly number: number;
  readonly load_test: number;
  readonly source: number;
  readonly kind: BlockKind;
  /** All its endpoints have this number >> 4; `null` where they are mixed. */
  readonly endpoint_group: number | null;
  /** An endpoint set. */
  readonly endpoints: Uint8Array;
  /** Its rows, be they points, failures or users. */
  readonly points: number;
  /** Both included. */
  readonly first_second: number;
  readonly last_second: number;
  readonly plain_crc: number;
  /** 0 where there is no such segment: only points have one. */
  readonly distribution_crc: number;
}

/** A block that is about to be stored. */
export interface EncodedBlock extends Pick<
  BlockRow,
  "kind" | "endpoint_group" | "endpoints" | "points" | "first_second" | "last_second"
> {
  readonly segments: Segments;
}

/** The bytes of a block: those of points are two segments, all others one. */
export type Segments = Pick<Block, "plain"> & Partial<Block>;

export function bytesIn({ plain, distribution }: Segments): number {
  return plain.length + (distribution?.length ?? 0);
}

/** Where a block belongs, and from when on. */
export interface BlockHome {
  readonly load_test: number;
  readonly source: number;
  /** `undefined` while the source is staged. */
  readonly born: number | undefined;
  /** How often its rows have been sealed; `undefined` for blocks that never will be (again). */
  readonly level: number | undefined;
}

const COLUMNS = `number, load_test, source, kind, endpoint_group, endpoints, points, first_second,
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
    `INSERT INTO blocks (load_test, source, kind, endpoint_group, endpoints, points, first_second,
       last_second, plain_crc, distribution_crc, crc, born, level)
     VALUES (:load_test, :source, :kind, :endpoint_group, :endpoints, :points, :first_second,
       :last_second, :plain_crc, :distribution_crc, 0, :born, :level)`,
  );
  const check = database.prepare("UPDATE blocks SET crc = ? WHERE number = ?");
  const insertPlain = database.prepare("INSERT INTO plain_segments VALUES (?, ?)");
  const insertDistribution = database.prepare("INSERT INTO distribution_segments VALUES (?, ?)");
  const bear = database.prepare("UPDATE blocks SET born = ? WHERE source = ?");
  const bury = database.prepare(
    `UPDATE blocks SET died = ?, died_at_ms = ?, level = NULL
     WHERE source = ? AND died IS NULL`,
  );
  const drop = database.prepare("UPDATE blocks SET died = 0, died_at_ms = 0 WHERE source = ?");
  const buryAll = database.prepare(
    `UPDATE blocks SET died = CASE WHEN born IS NULL THEN 0 ELSE :revision END,
       died_at_ms = CASE WHEN born IS NULL THEN 0 ELSE :atMs END, level = NULL
     WHERE load_test = :loadTest AND died IS NULL`,
  );
  return {
    add({ born, level, ...owner }: BlockHome, { segments, ...about }: EncodedBlock): void {
      const { plain, distribution } = segments;
      const row = {
        ...owner,
        ...about,
        plain_crc: checksumOf(plain),
        distribution_crc: distribution === undefined ? 0 : checksumOf(distribution),
      };
      const home = { born: born ?? null, level: level ?? null };
      const number = Number(insert.run({ ...row, ...home }).lastInsertRowid);
      check.run(rowChecksum({ number, ...row }), number);
      insertPlain.run(number, plain);
      if (distribution !== undefined) insertDistribution.run(number, distribution);
    },
    /** Makes all blocks of a staged source visible from `revision` on. */
    bear(source: number, revision: number): void {
      bear.run(revision, source);
    },
    /** Takes all blocks of a visible source away from `revision` on. Answers how many. */
    bury(source: number, revision: number, atMs: number): number {
      return Number(bury.run(revision, atMs, source).changes);
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
  const values = [
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
  ];
  // Version 1 of the file had blocks of points alone.
  return checksum(JSON.stringify(row.kind === "points" ? values : [...values, row.kind]));
}
