import { checksumOf } from "../block/envelope.ts";
import {
  type BlockHome,
  type BlockRow,
  type CheckedRow,
  checkedBlock,
  type EncodedBlock,
  rowChecksum,
} from "../sqlite/blocks/block-rows.ts";
import type { Row, Statement } from "./database.ts";
import { bytesIn } from "./source-rows.ts";

export const BLOCK_COLUMNS = `number, load_test, source, kind, endpoint_group, endpoints, roles, points,
  first_second, last_second, plain_crc, distribution_crc, crc`;

/** Of the database, whose clock all processes share. */
export const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** As read, unchecked. */
export function blockOf(row: Row): CheckedRow {
  const roles = row["roles"];
  return {
    ...(row as unknown as CheckedRow),
    endpoints: bytesIn(row["endpoints"]),
    roles: roles === null ? null : bytesIn(roles),
  };
}

/** Throws `damaged-store`. */
export function intactBlock(row: Row): BlockRow {
  return checkedBlock(blockOf(row));
}

export interface NewBlock {
  readonly number: number;
  readonly home: BlockHome;
  readonly block: EncodedBlock;
  /** Milliseconds after which it is deleted unless it is exchanged for others. @default it stays */
  readonly laidMs?: number | undefined;
}

export function addBlock({ number, home, block, laidMs }: NewBlock): Statement {
  const { shown_from, level, ...owner } = home;
  const { segments, ...about } = block;
  const { plain, distribution } = segments;
  const row: BlockRow = {
    number,
    ...owner,
    ...about,
    plain_crc: checksumOf(plain),
    distribution_crc: distribution === undefined ? 0 : checksumOf(distribution),
  };
  return {
    sql: `INSERT INTO blocks (${BLOCK_COLUMNS}, shown_from, shown_until, hidden_at_ms, level, plain, distribution)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
        CASE WHEN $15::bigint IS NULL THEN NULL ELSE 0 END, ${NOW_MS} + $15::bigint, $16, $17, $18)`,
    values: [
      number,
      row.load_test,
      row.source,
      row.kind,
      row.endpoint_group,
      row.endpoints,
      row.roles,
      row.points,
      row.first_second,
      row.last_second,
      row.plain_crc,
      row.distribution_crc,
      rowChecksum(row),
      shown_from ?? null,
      laidMs ?? null,
      level ?? null,
      plain,
      distribution ?? null,
    ],
  };
}
