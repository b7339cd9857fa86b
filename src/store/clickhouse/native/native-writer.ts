/**
 * Blocks in the Native format of ClickHouse (protocol revision 0), which the server takes apart
 * without parsing: the number of columns and of rows, then one column after the other, each with
 * its name, its type and all of its values. A block is made of columns that take rows at their end:
 *
 *     const block = new NativeBlockWriter();
 *     const hash = block.fixed("endpoint_hash", 40);
 *     const requests = block.unsigned64("requests");
 *     hash.appendByIndex(hashes, points.endpoint); // the rows of points
 *     requests.append(points.requests);
 *     hash.repeat(NO_HASH, 1); // the row of the batch
 *     requests.repeat(0, 1);
 *     const body = block.finish();
 *
 * Nothing is written before `finish`, which knows then how long the whole becomes.
 */

import {
  ArraysColumn,
  FixedColumn,
  type NativeColumn,
  SmallColumn,
  TextColumn,
  textEntries,
  Unsigned64Column,
  unsigned16Entries,
  unsigned64Entries,
} from "./native-columns.ts";
import { type NativeChunk, plainChunk, textBytes, varintBytes } from "./native-chunk.ts";

/** One block. Columns may be created in any order: the server matches them by name. */
export class NativeBlockWriter {
  readonly #columns: NativeColumn[] = [];

  unsigned8(name: string): SmallColumn<Uint8Array> {
    return this.#begin(new SmallColumn(name, "UInt8", Uint8Array));
  }

  unsigned16(name: string): SmallColumn<Uint16Array> {
    return this.#begin(new SmallColumn(name, "UInt16", Uint16Array));
  }

  unsigned32(name: string): SmallColumn<Uint32Array> {
    return this.#begin(new SmallColumn(name, "UInt32", Uint32Array));
  }

  unsigned64(name: string): Unsigned64Column {
    return this.#begin(new Unsigned64Column(name, "UInt64"));
  }

  /** `type` is the full column type, such as `Enum8('source' = 0, 'batch' = 1)`. */
  enum8(name: string, type: string): SmallColumn<Int8Array> {
    return this.#begin(new SmallColumn(name, type, Int8Array));
  }

  /** Days since 1970-01-01. */
  date(name: string): SmallColumn<Uint16Array> {
    return this.#begin(new SmallColumn(name, "Date", Uint16Array));
  }

  fixed(name: string, width: number): FixedColumn {
    return this.#begin(new FixedColumn(name, width));
  }

  texts(name: string): TextColumn {
    return this.#begin(new TextColumn(name, "String"));
  }

  arrays16(name: string): ArraysColumn<Uint16Array> {
    return this.#begin(new ArraysColumn(name, "UInt16", unsigned16Entries));
  }

  arrays64(name: string): ArraysColumn<Float64Array> {
    return this.#begin(new ArraysColumn(name, "UInt64", unsigned64Entries));
  }

  textArrays(name: string): ArraysColumn<readonly string[]> {
    return this.#begin(new ArraysColumn(name, "String", textEntries));
  }

  /** Number of rows; 0 without columns. Throws if the columns differ. */
  get rows(): number {
    const [first, ...others] = this.#columns;
    const odd = others.find(({ rows }) => rows !== first?.rows);
    if (first === undefined || odd === undefined) return first?.rows ?? 0;
    throw new Error(
      `BUG: ${first.rows} rows in column ${first.name}, ${odd.rows} in column ${odd.name}`,
    );
  }

  /** Returns the bytes of the block. Throws if the columns differ in their number of rows. */
  finish(): Uint8Array {
    const chunks: NativeChunk[] = [
      plainChunk(varintBytes(this.#columns.length)),
      plainChunk(varintBytes(this.rows)),
    ];
    for (const column of this.#columns) {
      chunks.push(plainChunk(textBytes(column.name)), plainChunk(textBytes(column.type)));
      chunks.push(...column.chunks());
    }
    return write(chunks);
  }

  #begin<Column extends NativeColumn>(column: Column): Column {
    this.#columns.push(column);
    return column;
  }
}

function write(chunks: readonly NativeChunk[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (const chunk of chunks) {
    chunk.write({ bytes, view }, at);
    at += chunk.byteLength;
  }
  return bytes;
}
