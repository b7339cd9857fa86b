import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { FileDigest, NO_DIGEST } from "../../src/decode/parquet/file-digest.ts";
import {
  COLUMNS,
  type ColumnName,
  columnNames,
  isFacetColumn,
  parquetSchema,
} from "../../src/decode/parquet/parquet-columns.ts";
import { openParquetFile, tachographParquet } from "../../src/decode/parquet/tachograph-parquet.ts";
import { DecodeRun } from "../../src/import/decode-points.ts";
import { UserError } from "../../src/model/errors.ts";
import { jsonLines } from "./structures/json.ts";
import type { FuzzTarget } from "./target.ts";

type Row = Partial<Record<ColumnName, unknown>>;

const OPENING_BRACE = 0x7b;
/** The library may hang on a damaged file; two parts are read within the limit of an input. */
const REPLY_MS_MAX = 700;
const GROUPS_MAX = 4;
const ROWS_MAX = 500;

/**
 * Files with a right digest, which is no secret. A line of JSON with the metadata and one for each row becomes a whole file, whose
 * requests are counted or refused; anything else is the bytes of a file, which is read or refused.
 */
export const parquetTarget: FuzzTarget = {
  name: "parquet",
  structure: {
    ...jsonLines,
    decode: (input) => (isText(input) ? jsonLines.decode(input) : undefined),
  },
  cost: 4,
  // The thread that reads has a heap of its own, and may be replaced.
  rssMiBMax: 700,
  async run(input) {
    try {
      await (isText(input) ? checkRows(input) : readAll(sealed(Uint8Array.from(input))));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  },
};

function isText([first]: Uint8Array): boolean {
  return first === OPENING_BRACE;
}

async function readAll(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const file = await openParquetFile(bytes, REPLY_MS_MAX);
  try {
    for (const group of file.groups.slice(0, GROUPS_MAX)) await file.read(group);
  } finally {
    file.close();
  }
}

/** Expected are the requests of the rows, summed up here. */
async function checkRows(input: Uint8Array): Promise<void> {
  const lines = Buffer.from(input).toString().split("\n");
  const [metadata, ...values] = lines.map(parsed).filter(isObject);
  const rows = values.slice(0, ROWS_MAX) as readonly Row[];
  const run = new DecodeRun({ format: tachographParquet, options: { timeZone: "UTC" } });
  let counted = 0;
  run.push(fileOf(rows, metadata));
  await run.end(({ points: { requests } }) => {
    for (const each of requests) counted += each;
  });
  const wanted = rows
    .filter(
      ({ measure, generator }) => typeof measure !== "string" && typeof generator !== "string",
    )
    .reduce((sum, { requests }) => sum + Number(cellOf(requests, "integer") ?? 0), 0);
  if (counted !== wanted) throw new Error(`it has ${counted} requests instead of ${wanted}`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fileOf(rows: readonly Row[], metadata: object | undefined): Uint8Array {
  const writer = new ByteWriter();
  const value = JSON.stringify({ ...metadata, sha256: NO_DIGEST });
  const names = new Set(rows.flatMap((row) => Object.keys(row).filter(isFacetColumn)));
  const columns = columnNames([...names]);
  const kvMetadata = [{ key: "tachograph", value }];
  const file = new ParquetWriter({ writer, schema: parquetSchema([...names]), kvMetadata });
  const columnData = columns.map((name) => {
    const kind = isFacetColumn(name) ? "text" : COLUMNS[name];
    return { name, data: rows.map((row) => cellOf(row[name], kind)) };
  });
  void file.write({ columnData });
  void file.finish();
  const bytes = new Uint8Array(writer.getBytes());
  new FileDigest().seal(bytes);
  return bytes;
}

const SINGLE = { texts: "text", integers: "integer", numbers: "number" } as const;

/** `null` for a value that the column cannot have. */
function cellOf(value: unknown, kind: (typeof COLUMNS)[keyof typeof COLUMNS]): unknown {
  if (kind === "text") return typeof value === "string" ? value : null;
  if (kind === "number") return typeof value === "number" ? value : null;
  if (kind === "integer") return Number.isSafeInteger(value) ? BigInt(value as number) : null;
  if (!Array.isArray(value)) return null;
  return value.map((each) => cellOf(each, SINGLE[kind])).filter((each) => each !== null);
}

/** As the program seals files; without a place for a digest, as it is. */
function sealed(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes.buffer);
  const at = text.lastIndexOf(DIGEST);
  if (at < 0 || at + DIGEST.length + NO_DIGEST.length > bytes.length) return bytes;
  text.write(NO_DIGEST, at + DIGEST.length, "latin1");
  new FileDigest().seal(bytes);
  return bytes;
}

const DIGEST = '"sha256":"';
