import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CsvRecord } from "./csv-record.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns all records of `text`, scanned in chunks of `size` bytes. */
function recordsOf(text: string, { delimiter = ",", size = text.length * 4 + 1 } = {}): string[][] {
  const bytes = encoder.encode(text);
  const record = new CsvRecord(delimiter.codePointAt(0) ?? 0);
  const records: string[][] = [];
  let start = 0;
  record.begin();
  for (let to = Math.min(size, bytes.length); ; to = Math.min(to + size, bytes.length)) {
    while (record.scan(bytes, start, to)) {
      records.push(fieldsOf(record, bytes, start));
      start += record.length;
      record.begin();
    }
    if (to === bytes.length) break;
  }
  if (record.length > 0 && record.finish(bytes, start)) {
    records.push(fieldsOf(record, bytes, start));
  }
  return records;
}

function fieldsOf(record: CsvRecord, bytes: Uint8Array, start: number): string[] {
  return Array.from({ length: record.fields }, (_, index) => {
    const contents = decoder.decode(record.contents(bytes, start, index));
    if (record.isIrregular(index)) return contents;
    return decoder.decode(bytes.subarray(start + record.from(index), start + record.to(index)));
  });
}

test.each([
  ["a,b\n", [["a", "b"]]],
  [
    "a,b\r\nc,d",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  [
    "a,\n,\n",
    [
      ["a", ""],
      ["", ""],
    ],
  ],
  ['"a,b","c\nd\r\ne"\r\n', [["a,b", "c\nd\r\ne"]]],
  ['"",""""\n', [["", '"']]],
  ['"say ""hi"" now"\n', [['say "hi" now']]],
  ['5" disc,a""b,""\n', [['5" disc', 'a""b', ""]]],
  ['"ab"cd,e\n', [["abcd", "e"]]],
  ['"ab"c"d",e\n', [['abc"d"', "e"]]],
  ['"a" ,b\n', [["a ", "b"]]],
  ['"a"\r\n', [["a"]]],
  ["a\rb,c\n", [["a\rb", "c"]]],
  ["\n\r\n", [[""], [""]]],
  ["\u0000,商品\n", [["\u0000", "商品"]]],
  ["a,b\r", [["a", "b"]]],
])("%j is read as %j, at once or byte by byte", (text, records) => {
  expect(recordsOf(text)).toEqual(records);
  expect(recordsOf(text, { size: 1 })).toEqual(records);
});

test("reads the output of any CSV writer like another CSV reader", () => {
  const field = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
    fc.stringMatching(/^[a",;\n\r]{0,8}$/),
  );
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { maxLength: 6 });
  const delimiter = fc.constantFrom(",", ";", "\t", "|");
  fc.assert(
    fc.property(table, delimiter, fc.integer({ min: 1, max: 9 }), (rows, separator, size) => {
      const text = rows
        .map((row) => `${row.map((one) => `"${one.replaceAll('"', '""')}"`).join(separator)}\r\n`)
        .join("");
      expect(recordsOf(text, { delimiter: separator, size })).toEqual(rows);
      expect(recordsOf(text, { delimiter: separator })).toEqual(
        parse(text, { delimiter: separator, relax_column_count: true, record_delimiter: "\r\n" }),
      );
    }),
  );
});

test("an unclosed quote at the end is not a record", () => {
  const bytes = encoder.encode('a,"b\nc');
  const record = new CsvRecord(0x2c);
  record.begin();
  expect(record.scan(bytes, 0, bytes.length)).toBe(false);
  expect(record.finish(bytes, 0)).toBe(false);
});

test("line feeds are counted, also inside quotes", () => {
  const bytes = encoder.encode('"a\n\nb",c\nnext');
  const record = new CsvRecord(0x2c);
  record.begin();
  expect(record.scan(bytes, 0, bytes.length)).toBe(true);
  expect(record).toMatchObject({ lineFeeds: 3, length: 9, fields: 2, isBlank: false });
});

test("a record of 100,000 fields is read", () => {
  const fields = Array.from({ length: 100_000 }, (_, index) => `${index}`);
  expect(recordsOf(`${fields.join(",")}\n`)).toEqual([fields]);
});
