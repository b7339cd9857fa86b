/** Worker thread of `export-thread.ts`: writes Parquet files, several at a time. */

import { parentPort } from "node:worker_threads";
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { FileDigest } from "../decode/parquet/file-digest.ts";
import {
  columnNames,
  type FacetColumn,
  METADATA_KEY,
  parquetSchema,
} from "../decode/parquet/parquet-columns.ts";
import { errorMessage } from "../model/errors.ts";
import { type ExportedPart, ExportedRows, type Row } from "./parquet-rows.ts";

export interface BegunFile {
  readonly facets: readonly FacetColumn[];
  /** JSON, with `NO_DIGEST`. */
  readonly metadata: string;
  /** Whether any source records response sizes. */
  readonly hasSizes: boolean;
}

/** Of one file: its begin, its parts, its end. It may be given up at any time. */
export type FileOrder = BegunFile | ExportedPart | "end" | "give up";

/** What has been written since the last time. */
export type FileReply = { readonly chunk: Uint8Array } | { readonly error: string };

/** Few enough cells that a row group takes some megabytes. */
const CELLS_PER_GROUP = 100_000;

const NO_BYTES = new Uint8Array();

type ParquetFile = (order: ExportedPart | "end") => Uint8Array;

function beginFile({ facets, metadata, hasSizes }: BegunFile): ParquetFile {
  const [bytes, digest, measured] = [
    new ByteWriter(),
    new FileDigest(),
    new ExportedRows({ hasSizes }),
  ];
  const columns = columnNames(facets);
  const writer = new ParquetWriter({
    writer: bytes,
    schema: parquetSchema(facets),
    codec: "ZSTD",
    compressors: { ZSTD: (page) => zstdCompressSync(page) },
    kvMetadata: [{ key: METADATA_KEY, value: metadata }],
    createdBy: "tachograph",
  });
  let rows: Row[] = [];
  let cells = 0;
  const writeGroup = (): void => {
    const columnData = columns.map((name) => ({
      name,
      data: rows.map((row) => row[name] ?? null),
    }));
    void writer.write({ columnData, rowGroupSize: rows.length });
    [rows, cells] = [[], 0];
  };
  return (order) => {
    for (const row of order === "end" ? [] : measured.of(order)) {
      rows.push(row);
      cells += cellsIn(row);
      if (cells >= CELLS_PER_GROUP) writeGroup();
    }
    const isEnd = order === "end";
    if (isEnd && rows.length > 0) writeGroup();
    if (isEnd) void writer.finish();
    const chunk = bytes.getBytes().slice();
    bytes.index = 0;
    digest[isEnd ? "seal" : "update"](chunk);
    return chunk;
  };
}

/** Rows differ: a dense histogram has hundreds of buckets. */
function cellsIn({
  bucket_micros: buckets,
  bucket_values: values,
  failure_codes: codes,
}: Row): number {
  const lists = [buckets ?? values, codes].map((list) => (Array.isArray(list) ? list.length : 0));
  return 20 + 2 * (lists[0] ?? 0) + 3 * (lists[1] ?? 0);
}

const files = new Map<number, ParquetFile>();

parentPort?.on("message", ([id, order]: readonly [number, FileOrder]) => {
  try {
    parentPort?.postMessage([id, { chunk: obey(id, order) }], []);
  } catch (error) {
    parentPort?.postMessage([id, { error: errorMessage(error) }], []);
  }
});

function obey(id: number, order: FileOrder): Uint8Array {
  const file = files.get(id);
  if (order === "end" || order === "give up") files.delete(id);
  if (order === "give up") return NO_BYTES;
  if (order !== "end" && "metadata" in order) files.set(id, beginFile(order));
  else if (file !== undefined) return file(order);
  return NO_BYTES;
}
