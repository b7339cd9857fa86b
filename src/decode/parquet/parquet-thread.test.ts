import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { expect, test } from "vitest";
import { COLUMNS, parquetSchema } from "./parquet-columns.ts";
import { openParquetFile } from "./tachograph-parquet.ts";

function fileOf(rows: number): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema: parquetSchema() });
  const columnData = Object.keys(COLUMNS).map((name) => ({
    name,
    data: Array.from({ length: rows }, (_, row) => (name === "second" ? BigInt(row) : null)),
  }));
  void file.write({ columnData });
  void file.finish();
  return new Uint8Array(writer.getBytes());
}

test("the columns of a file are read", async () => {
  const file = await openParquetFile(fileOf(3));
  expect(file).toMatchObject({ metadata: undefined, groups: [{ rowStart: 0, rowEnd: 3 }] });
  expect(await file.read({ rowStart: 0, rowEnd: 3 })).toMatchObject({ second: [0n, 1n, 2n] });
  file.close();
});

test("a file that is none is refused", async () => {
  const opened = openParquetFile(new Uint8Array(100).fill(1));
  await expect(opened).rejects.toThrow("cannot read the Parquet file: it is damaged");
});

test("files that are refused one after the other are read in one thread", async () => {
  let threads = 0;
  const count = (): void => void (threads += 1);
  process.on("worker", count);
  for (let file = 0; file < 3; file++) {
    await expect(openParquetFile(new Uint8Array(100).fill(1))).rejects.toThrow("it is damaged");
  }
  process.off("worker", count);
  expect(threads).toBeLessThanOrEqual(1);
});

test("a file that occupies the library for ever is refused", async () => {
  const bytes = fileOf(2);
  // The number of values in the header of a page, a varint.
  bytes[HANGS_AT] = 0xff;
  const file = await openParquetFile(bytes, 1500);
  await expect(file.read({ rowStart: 0, rowEnd: 2 })).rejects.toThrow("not read within 1.5 s");
});

const HANGS_AT = 44;
