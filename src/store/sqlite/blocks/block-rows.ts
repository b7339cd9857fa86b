/** Tables of blocks and segments. Revision r sees those with `shown_from` <= r < `shown_until`; staged ones have no `shown_from`. */

import type { DatabaseSync } from "node:sqlite";
import { requireAscending } from "../file/listed-rows.ts";
import { UserError } from "../../../model/errors.ts";
import type { Block } from "../../block/block.ts";
import { checksum } from "../../block/envelope.ts";

/** Grace period before deleted blocks leave the file, for snapshots of other processes. */
export const GC_GRACE_MS = 120_000;

/** Node 22 checks its buffer for emptiness. */
const NO_BYTES = new Uint8Array(new ArrayBuffer(1), 0, 0);

export type BlockKind = "points" | "failures" | "users" | "measures";

/** Metadata of a block without its bytes. */
export interface BlockRow {
  /** Never reused. */
  readonly number: number;
  readonly load_test: number;
  readonly source: number;
  readonly kind: BlockKind;
  /** All its endpoints have this number >> 4; `null` if mixed. */
  readonly endpoint_group: number | null;
  /** Encoded endpoint set. */
  readonly endpoints: Uint8Array;
  /** Roles of the endpoints that are not requests; `null` if all are requests. */
  readonly roles: Uint8Array | null;
  /** Number of its rows: points, failures, users or sums of measures. */
  readonly points: number;
  /** Inclusive. */
  readonly first_second: number;
  readonly last_second: number;
  readonly plain_crc: number;
  /** 0 if the segment does not exist: only points have one. */
  readonly distribution_crc: number;
}

/** A visible block that may still be merged: of live batches, or just published. */
export interface LiveBlock extends BlockRow {
  /** Compaction level of its rows. */
  readonly level: number;
  /** The revision that made it visible; blocks with the same one form a group. */
  readonly shown_from: number;
}

export interface EncodedBlock extends Pick<
  BlockRow,
  "kind" | "endpoint_group" | "endpoints" | "roles" | "points" | "first_second" | "last_second"
> {
  readonly segments: Segments;
}

/** The bytes of a block: two segments for points, one for all others. */
export type Segments = Pick<Block, "plain"> & Partial<Block>;

export function bytesIn({ plain, distribution }: Segments): number {
  return plain.length + (distribution?.length ?? 0);
}

export interface BlockHome {
  readonly load_test: number;
  readonly source: number;
  /** `undefined` while the source is staged. */
  readonly shown_from: number | undefined;
  /** Compaction level of its rows; `undefined` for blocks that are not compacted any further. */
  readonly level: number | undefined;
}

/** Rows of a page: some milliseconds. As SQLite returns them, 100,000 take 120 MB. */
export const PAGE_ROWS = 512;

const COLUMNS = `number, load_test, source, kind, endpoint_group, endpoints, roles, points,
  first_second, last_second, plain_crc, distribution_crc, crc`;

/** Opens the tables on one connection; changing methods require a write transaction. */
export function openBlockRows(database: DatabaseSync) {
  const visible = database.prepare(
    `SELECT ${COLUMNS} FROM blocks
     WHERE load_test = :loadTest AND number > :behind
       AND shown_from <= :revision AND (shown_until IS NULL OR shown_until > :revision)
     ORDER BY number LIMIT :rows`,
  );
  const after = database.prepare(
    `SELECT ${COLUMNS} FROM blocks WHERE number > ? AND shown_until IS NULL ORDER BY number LIMIT 1`,
  );
  const has = database.prepare("SELECT 1 FROM blocks WHERE number = ?");
  const live = database.prepare(
    `SELECT ${COLUMNS}, level, shown_from FROM blocks
     WHERE source = ? AND level IS NOT NULL AND shown_from IS NOT NULL AND shown_until IS NULL ORDER BY number`,
  );
  const liveSources = database.prepare(
    "SELECT DISTINCT source FROM blocks WHERE level IS NOT NULL AND shown_until IS NULL",
  );
  const plain = database.prepare("SELECT plain AS bytes FROM segments WHERE block = ?");
  const distribution = database.prepare(
    "SELECT distribution AS bytes FROM segments WHERE block = ?",
  );
  const pageOf = (loadTest: number, revision: number, behind: number): readonly BlockRow[] => {
    const found = visible.all({ loadTest, revision, behind, rows: PAGE_ROWS });
    const checked = found.map((row) => checkedBlock(row));
    return requireAscending("the index of blocks", behind, requireOwn(loadTest, checked));
  };
  return {
    /** Returns the next blocks that a snapshot of this revision sees, by number, `PAGE_ROWS` of them unless they are the last. */
    visiblePage: pageOf,
    /** Returns all of them. */
    visible(loadTest: number, revision: number): readonly BlockRow[] {
      const rows: BlockRow[] = [];
      for (let page = pageOf(loadTest, revision, 0); ;) {
        rows.push(...page);
        if (page.length < PAGE_ROWS) return rows;
        page = pageOf(loadTest, revision, rows.at(-1)?.number ?? 0);
      }
    },
    /** Whether a block is still in the file. */
    has: (number: number) => has.get(number) !== undefined,
    /** Returns the next block that is not deleted, by number, or `undefined`. Does not verify its checksum. Throws `damaged-store`. */
    after(number: number): CheckedRow | undefined {
      const found = after.all(number) as unknown as readonly CheckedRow[];
      return requireAscending("the table of blocks", number, found)[0];
    },
    /** Returns the blocks of a source that may still be compacted, by number. */
    live: (source: number) =>
      live.all(source).map((found): LiveBlock => {
        const { level, shown_from, ...row } = found as unknown as CheckedRow & LiveBlock;
        return { ...checkedBlock(row), level, shown_from };
      }),
    /** Returns the sources that have such blocks. */
    liveSources: () => liveSources.all().map((row) => Number(row["source"])),
    segment(kind: keyof Block, number: number): Uint8Array | undefined {
      const bytes = (kind === "plain" ? plain : distribution).get(number)?.["bytes"];
      // A damaged type can turn it into text; only the checksum identifies a segment.
      if (bytes === undefined || bytes === null) return undefined;
      return bytes instanceof Uint8Array ? bytes : new Uint8Array(0);
    },
  };
}

export type BlockRows = ReturnType<typeof openBlockRows>;
export type CheckedRow = BlockRow & { readonly crc: number };

/** Whether the row matches its checksum. */
export function isIntact(row: CheckedRow): boolean {
  return hasChecksum(row, row.crc);
}

function hasChecksum(row: BlockRow, crc: number): boolean {
  // A flipped bit of the row can mark the bytes as text.
  const areBytes = isBytes(row.endpoints) && (row.roles === null || isBytes(row.roles));
  return areBytes && crc === rowChecksum(row);
}

function isBytes(stored: unknown): boolean {
  return stored instanceof Uint8Array;
}

/**
 * Returns a row that was read with its checksum, as an object that takes little memory: as SQLite returns them, each takes 1.2 KB,
 * and ten minutes of live batches can leave 100,000. Throws `damaged-store` if it does not match its checksum.
 */
export function checkedBlock(found: unknown): BlockRow {
  const read = found as CheckedRow;
  const row = {
    number: read.number,
    load_test: read.load_test,
    source: read.source,
    kind: KINDS.find((kind) => kind === read.kind) ?? read.kind,
    endpoint_group: read.endpoint_group,
    endpoints: read.endpoints,
    roles: read.roles,
    points: read.points,
    first_second: read.first_second,
    last_second: read.last_second,
    plain_crc: read.plain_crc,
    distribution_crc: read.distribution_crc,
  };
  if (!hasChecksum(row, read.crc)) {
    const why = `the row of block ${row.number} does not match its checksum`;
    throw new UserError("damaged-store", why);
  }
  row.endpoints = sharedSet(row.endpoints);
  return row;
}

const KINDS: readonly BlockKind[] = ["points", "failures", "users", "measures"];

const SHARED_BYTES_MAX = 32;
const SHARED_SETS_MAX = 4096;
const sharedSets = new Map<string, Uint8Array>();

/** Returns one copy of short sets: the blocks of a run have a few different ones. */
function sharedSet(endpoints: Uint8Array): Uint8Array {
  if (endpoints.length > SHARED_BYTES_MAX) return endpoints;
  const key = String.fromCharCode(...endpoints);
  const known = sharedSets.get(key);
  if (known !== undefined) return known;
  if (sharedSets.size >= SHARED_SETS_MAX) sharedSets.clear();
  sharedSets.set(key, endpoints);
  return endpoints;
}

/** An index has no checksum: a flipped bit in it can replace a block by that of another load test. */
function requireOwn(loadTest: number, rows: readonly BlockRow[]): readonly BlockRow[] {
  const strange = rows.find(({ load_test }) => load_test !== loadTest);
  if (strange === undefined) return rows;
  throw new UserError(
    "damaged-store",
    `the index of blocks names block ${strange.number} where another one belongs`,
  );
}

export function rowChecksum(row: BlockRow): number {
  const values = [
    row.number,
    row.load_test,
    row.source,
    row.kind,
    row.endpoint_group,
    Buffer.from(row.endpoints).toString("hex"),
    row.roles && Buffer.from(row.roles).toString("hex"),
    row.points,
    row.first_second,
    row.last_second,
    row.plain_crc,
    row.distribution_crc,
  ];
  return checksum(JSON.stringify(values));
}

/** Converts bytes for binding. Node 22 binds an empty array from another thread as NULL. */
export function boundBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? NO_BYTES : bytes;
}
