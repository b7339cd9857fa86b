/** Worker thread of `tachograph-parquet.ts`: reads the columns of one Parquet file after another. */

import { parentPort } from "node:worker_threads";
import { zstdDecompressSync } from "node:zlib";
import { parquetMetadataAsync, type ParquetScan, parquetScan } from "hyparquet";
import { errorMessage } from "../../model/errors.ts";
import { columnNames, isFacetColumn, METADATA_KEY } from "./parquet-columns.ts";
import type { Columns } from "./row-reader.ts";

/** Rows of a file, from `rowStart` to before `rowEnd`. */
export interface RowGroup {
  readonly rowStart: number;
  readonly rowEnd: number;
}

/** A file to read from now on, or a group of its rows. */
export type ParquetOrder = ArrayBuffer | RowGroup;

/** To a file, what it says of itself; to a group, its columns. */
export type ParquetReply =
  | { readonly metadata: string | undefined; readonly groups: readonly RowGroup[] }
  | { readonly columns: Columns }
  | Damage;

export interface Damage {
  readonly damage: string;
}

/** The program writes groups of some megabytes. */
const GROUP_BYTES_MAX = 512 * 1024 * 1024;
const GROUP_ROWS_MAX = 1_000_000;

let groupBytes = 0;

let scan: ParquetScan | undefined;

async function openScan(bytes: ArrayBuffer): Promise<ParquetScan> {
  const file = {
    byteLength: bytes.byteLength,
    slice: (from: number, until?: number) => bytes.slice(from, until),
  };
  const compressors = { ZSTD: decompressed };
  return parquetScan({ file, metadata: await parquetMetadataAsync(file), compressors });
}

function decompressed(page: Uint8Array, sizeBytes: number): Uint8Array {
  groupBytes += sizeBytes;
  if (!(groupBytes <= GROUP_BYTES_MAX)) {
    throw new Error(`expected at most ${GROUP_BYTES_MAX} bytes in a row group`);
  }
  return zstdDecompressSync(page, { maxOutputLength: Math.max(1, sizeBytes) });
}

async function readColumns(from: ParquetScan, range: RowGroup): Promise<Columns> {
  const rows = range.rowEnd - range.rowStart;
  if (rows > GROUP_ROWS_MAX) {
    throw new Error(`expected at most ${GROUP_ROWS_MAX} rows in a row group, got ${rows}`);
  }
  groupBytes = 0;
  const written = from.metadata.schema.map(({ name }) => name);
  const all = columnNames(written.filter(isFacetColumn));
  const columns = await Promise.all(all.map((column) => from.readColumn({ column, ...range })));
  return Object.fromEntries(all.map((name, index) => [name, columns[index]])) as unknown as Columns;
}

parentPort?.on("message", (order: ParquetOrder) => {
  const reply = order instanceof ArrayBuffer ? open(order) : read(order);
  void reply
    .catch((error: unknown) => ({ damage: errorMessage(error) }))
    .then((sent) => parentPort?.postMessage(sent, []));
});

async function open(bytes: ArrayBuffer): Promise<ParquetReply> {
  scan = await openScan(bytes);
  const { metadata, ranges } = scan;
  const own = metadata.key_value_metadata?.find(({ key }) => key === METADATA_KEY);
  const groups = ranges.map(({ rowStart, rowEnd }) => ({ rowStart, rowEnd }));
  return { metadata: own?.value, groups };
}

async function read(group: RowGroup): Promise<ParquetReply> {
  if (scan === undefined) throw new Error("BUG: a file comes before its groups");
  return { columns: await readColumns(scan, group) };
}
