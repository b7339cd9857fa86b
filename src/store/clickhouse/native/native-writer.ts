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
  bytesOf,
  FixedColumn,
  type NativeColumn,
  SmallColumn,
  TextColumn,
  textBytes,
  Unsigned64Column,
  unsigned64Bytes,
  varintBytes,
} from "./native-columns.ts";

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
    return this.#begin(new Unsigned64Column(name));
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
    return this.#begin(new TextColumn(name));
  }

  arrays16(name: string): ArraysColumn<Uint16Array> {
    return this.#begin(new ArraysColumn<Uint16Array>(name, "UInt16", bytesOf));
  }

  arrays64(name: string): ArraysColumn<Float64Array> {
    return this.#begin(new ArraysColumn<Float64Array>(name, "UInt64", unsigned64Bytes));
  }

  textArrays(name: string): ArraysColumn<readonly string[]> {
    return this.#begin(
      new ArraysColumn<readonly string[]>(name, "String", (texts) =>
        Buffer.concat(texts.map(textBytes)),
      ),
    );
  }

  /** Gives columns with fewer rows than others further ones: 0, or empty. */
  fill(): void {
    const rows = Math.max(0, ...this.#columns.map((column) => column.rows));
    for (const column of this.#columns) column.appendEmpty(rows - column.rows);
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
  finish(): readonly Uint8Array[] {
    const columns = this.#columns.flatMap((column) => [
      textBytes(column.name),
      textBytes(column.type),
      ...column.parts(),
    ]);
    return [varintBytes(this.#columns.length), varintBytes(this.rows), ...columns];
  }

  #begin<Column extends NativeColumn>(column: Column): Column {
    this.#columns.push(column);
    return column;
  }
}
