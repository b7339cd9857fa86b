/**
 * The tables of blocks and of their segments. A block is visible to a snapshot of revision r where
 * it was born at r or before and had not died by then; a staged one is not born yet.
 */

import type { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import type { Block } from "../../block/block.ts";
import { checksum } from "../../block/envelope.ts";

/** How long a dead block stays in the file, for snapshots of other processes. */
export const GC_GRACE_MS = 120_000;

/** Its buffer is not empty: that is where Node 22 looks. */
const NO_BYTES = new Uint8Array(new ArrayBuffer(1), 0, 0);

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
  /** What those of them are that are no requests (`role-sets.ts`); `null` where all are. */
  readonly roles: Uint8Array | null;
  /** Its rows, be they points, failures or users. */
  readonly points: number;
  /** Both included. */
  readonly first_second: number;
  readonly last_second: number;
  readonly plain_crc: number;
  /** 0 where there is no such segment: only points have one. */
  readonly distribution_crc: number;
}

/** A block that readers see and that may still be merged: of live batches, or just published. */
export interface LiveBlock extends BlockRow {
  /** How often its rows have been compacted. */
  readonly level: number;
  /** The revision since which it is visible; blocks that were born together are a run. */
  readonly born: number;
}

/** A block that is about to be stored. */
export interface EncodedBlock extends Pick<
  BlockRow,
  "kind" | "endpoint_group" | "endpoints" | "roles" | "points" | "first_second" | "last_second"
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
  /** How often its rows have been compacted; `undefined` for blocks that never will be (again). */
  readonly level: number | undefined;
}

/** At most so many rows behind that number; all numbers are above 0. */
interface PageOfBlocks {
  readonly behind: number;
  readonly rows: number;
}

const ALL_BLOCKS: PageOfBlocks = { behind: 0, rows: -1 };

const COLUMNS = `number, load_test, source, kind, endpoint_group, endpoints, roles, points,
  first_second, last_second, plain_crc, distribution_crc, crc`;

/** Opens the rows for one connection; what changes them only within a write. */
export function openBlockRows(database: DatabaseSync) {
  const visible = database.prepare(
    `SELECT ${COLUMNS} FROM blocks
     WHERE load_test = :loadTest AND number > :behind
       AND born <= :revision AND (died IS NULL OR died > :revision)
     ORDER BY number LIMIT :rows`,
  );
  const after = database.prepare(
    `SELECT ${COLUMNS} FROM blocks WHERE number > ? AND died IS NULL ORDER BY number LIMIT 1`,
  );
  const has = database.prepare("SELECT 1 FROM blocks WHERE number = ?");
  const live = database.prepare(
    `SELECT ${COLUMNS}, level, born FROM blocks
     WHERE source = ? AND level IS NOT NULL AND born IS NOT NULL AND died IS NULL ORDER BY number`,
  );
  const liveSources = database.prepare(
    "SELECT DISTINCT source FROM blocks WHERE level IS NOT NULL AND died IS NULL",
  );
  const plain = database.prepare("SELECT bytes FROM plain_segments WHERE block = ?");
  const distribution = database.prepare("SELECT bytes FROM distribution_segments WHERE block = ?");
  return {
    /** Those that a snapshot of this revision sees, by number. @default all of them */
    visible: (loadTest: number, revision: number, { behind, rows } = ALL_BLOCKS) =>
      visible.all({ loadTest, revision, behind, rows }).map((row) => checkedBlock(row)),
    /** Whether a block is still in the file. */
    has: (number: number) => has.get(number) !== undefined,
    /** The next block that has not died, by number, or `undefined`; its checksum is not looked at. */
    after: (number: number) => after.get(number) as unknown as CheckedRow | undefined,
    /** The blocks of a source that may still be compacted, by number. */
    live: (source: number) =>
      live.all(source).map((found): LiveBlock => {
        const { level, born, ...row } = found as unknown as CheckedRow & LiveBlock;
        return { ...checkedBlock(row), level, born };
      }),
    /** The sources that have such blocks. */
    liveSources: () => liveSources.all().map((row) => Number(row["source"])),
    segment(kind: keyof Block, number: number): Uint8Array | undefined {
      const bytes = (kind === "plain" ? plain : distribution).get(number)?.["bytes"];
      // Text in their place is as good as nothing: a segment is found by its checksum alone.
      return bytes === undefined || bytes instanceof Uint8Array ? bytes : new Uint8Array(0);
    },
  };
}

export type BlockRows = ReturnType<typeof openBlockRows>;
export type CheckedRow = BlockRow & { readonly crc: number };

/** Whether the row is what was written. */
export function isIntact({ crc, ...row }: CheckedRow): boolean {
  // A bit of the row can say that they are text, of the same bytes.
  const areBytes = isBytes(row.endpoints) && (row.roles === null || isBytes(row.roles));
  return areBytes && crc === rowChecksum(row);
}

function isBytes(stored: unknown): boolean {
  return stored instanceof Uint8Array;
}

function checkedBlock(found: unknown): BlockRow {
  const row = found as CheckedRow;
  if (isIntact(row)) return row;
  throw new UserError(
    "damaged-store",
    `the row of block ${row.number} does not match its checksum`,
  );
}

export function rowChecksum(row: BlockRow): number {
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
  // What earlier versions of the file did not have stands in it only where it says something.
  if (row.kind !== "points") values.push(row.kind);
  if (row.roles !== null) values.push(`roles ${Buffer.from(row.roles).toString("hex")}`);
  return checksum(JSON.stringify(values));
}

/**
 * Bytes as they are bound to a statement. Node 22 binds an array for NULL that has come from another
 * thread with nothing in it.
 */
export function boundBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? NO_BYTES : bytes;
}
