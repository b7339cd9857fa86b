import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seriesName } from "../../model/series/facets.ts";
import { LABEL_TOO_LONG, labelNotes, LabelTable } from "./label-table.ts";

const encoder = new TextEncoder();

function indexOf(table: LabelTable, label: string): number {
  const bytes = encoder.encode(`<${label}>`);
  return table.indexOf(bytes, 1, bytes.length - 1);
}

test("labels get indexes in order of appearance and keep them", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 50 }), (labels) => {
      const table = new LabelTable();
      const distinct = [...new Set(labels)];
      for (const label of labels) expect(indexOf(table, label)).toBe(distinct.indexOf(label));
      for (const label of labels) expect(table.indexOfText(label)).toBe(distinct.indexOf(label));
      expect(table.texts).toEqual(distinct);
    }),
  );
});

test("a label cannot forge facets, and the notes say what became of it", () => {
  const table = new LabelTable();
  expect([indexOf(table, "GET /"), indexOf(table, 'GET /\u0001["region","eu"]')]).toEqual([0, 1]);
  expect(indexOf(table, 'GET /\u0001["region","eu"]')).toBe(1);
  expect(table.texts).toEqual(["GET /", String.raw`GET /\x01["region","eu"]`]);
  expect(labelNotes(table)).toEqual([expect.stringContaining(": 1")]);
});

test("100,000 labels are distinct", () => {
  const table = new LabelTable();
  for (let index = 0; index < 100_000; index++) expect(indexOf(table, `/p/${index}`)).toBe(index);
  for (let index = 0; index < 100_000; index++) expect(indexOf(table, `/p/${index}`)).toBe(index);
});

test.each(["", "__proto__", "constructor", "1", "\u{feff}x", "a\u{0}b"])(
  "%j is a valid label",
  (label) => {
    const table = new LabelTable();
    expect(table.texts[indexOf(table, label)]).toBe(label);
  },
);

test("bytes that are not UTF-8 stay distinct, as \\xC2", () => {
  const table = new LabelTable();
  const [entrance, prices] = [
    Uint8Array.of(0x61, 0xc2, 0xf5, 0xee, 0xe4),
    Uint8Array.of(0xd6, 0xe5, 0xe6, 0xb1, 0x89, 0x62),
  ];
  const first = table.indexOf(entrance, 0, entrance.length);
  expect(table.texts[first]).toBe(String.raw`a\xC2\xF5\xEE\xE4`);
  const second = table.indexOf(prices, 0, prices.length);
  expect(table.texts[second]).toBe(String.raw`\xD6\xE5汉b`);
  expect(indexOf(table, String.raw`\xD6\xE5汉b`)).toBe(second);
  expect([first, second, indexOf(table, "汉")].map((each) => table.isUndecodable(each))).toEqual([
    true,
    true,
    false,
  ]);
  expect(table.notUtf8).toBe(2);
});

test("in JSON they become U+FFFD, and equal results share one index", () => {
  const table = new LabelTable({}, { isJson: true });
  const first = table.indexOf(Uint8Array.of(0x61, 0xff), 0, 2);
  expect(table.texts[first]).toBe("a\u{fffd}");
  expect(table.indexOf(Uint8Array.of(0x61, 0xfe), 0, 2)).toBe(first);
});

test.each([
  ["x".repeat(1025), undefined],
  ["é".repeat(600), undefined],
  [`/a/${"y".repeat(2000)}`, { ids: true, rules: ["/b/*"] }],
])("%.20j… is shortened to 1,024 bytes at most, with a hash of the whole", (text, grouping) => {
  const table = new LabelTable({ grouping });
  const bytes = new TextEncoder().encode(text);
  expect(table.indexOf(bytes, 0, bytes.length)).toBe(LABEL_TOO_LONG);
  const index = table.indexOfTooLong();
  const shortened = table.texts[index] as string;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
  expect(shortened.endsWith(`…${hash}`)).toBe(true);
  expect(text.startsWith(shortened.slice(0, -13))).toBe(true);
  const { length } = new TextEncoder().encode(shortened);
  expect(length).toBeLessThanOrEqual(1024);
  expect(length).toBeGreaterThan(1020);
  expect(table.indexOf(bytes, 0, bytes.length)).toBe(LABEL_TOO_LONG);
  expect(table.indexOfTooLong()).toBe(index);
});

test.each([400, 1500])("%i bytes that are not UTF-8 are shortened, too", (length) => {
  const table = new LabelTable();
  const bytes = new Uint8Array(length).fill(0xff);
  expect(table.indexOf(bytes, 0, length)).toBe(LABEL_TOO_LONG);
  const text = table.texts[table.indexOfTooLong()] as string;
  expect(text).toMatch(/^(?:\\xFF)+\\?x?F?…[0-9a-f]{12}$/);
});

test("1,024 bytes are a valid label, 1,025 are not, counted with \\xC2", () => {
  const table = new LabelTable();
  expect(indexOf(table, `${"汉".repeat(341)}x`)).toBe(0);
  expect(indexOf(table, `${"汉".repeat(341)}xy`)).toBe(LABEL_TOO_LONG);
  expect(table.indexOf(new Uint8Array(400).fill(0xff), 0, 400)).toBe(LABEL_TOO_LONG);
  expect(table.indexOfText("汉".repeat(342))).toBe(LABEL_TOO_LONG);
  expect(table.texts).toHaveLength(1);
});

test("labels of one group share an index, on every path, and only the group is stored", () => {
  const table = new LabelTable({ grouping: { ids: true, rules: ["/a/*"] } });

  expect(indexOf(table, "/a/b")).toBe(0);
  expect(indexOf(table, "/users/1")).toBe(1);
  expect(indexOf(table, "/users/2")).toBe(1);
  expect(table.indexOfText("/users/3")).toBe(1);
  expect(table.indexOfText("/a/c?x")).toBe(0);
  expect(indexOf(table, `/users/1?q=${"x".repeat(5000)}`)).toBe(2);
  expect(table.indexOfText(`/${"x".repeat(5000)}`)).toBe(LABEL_TOO_LONG);
  expect(table.texts).toEqual(["/a/*", "/users/{id}", "/users/{id}?q={id}"]);
  expect(table.foldedNote).toBe("labels folded into groups: 6 into 3");
});

test("labels over the limit share an index, in any spelling and order, and are not stored", () => {
  const table = new LabelTable({ labelsMax: 2 });
  expect(["a", "b", "c", "a", "d", "c"].map((label) => indexOf(table, label))).toEqual([
    0, 1, 2, 0, 2, 2,
  ]);
  expect(table.overLimitText).toBe("c");
  expect(table.indexOfText("e")).toBe(2);
  expect(table.overLimitText).toBe("e");
  expect(table.indexOfText("b")).toBe(1);
  expect(table.overflowFor("subresult")).toBe(3);
  expect(table.overflowFor("unclear")).toBe(2);
  expect([0, 1, 2, 3].map((index) => table.isOverLimit(index))).toEqual([false, false, true, true]);
  for (let label = 0; label < 10_000; label++) expect(indexOf(table, `/p/${label}`)).toBe(2);
  expect(indexOf(table, "x".repeat(1025))).toBe(LABEL_TOO_LONG);
  expect(table.texts).toEqual(["a", "b", "(other)", "(other sub-results)"]);
});

test("a source can contain labels with the names of the overflow labels", () => {
  const table = new LabelTable({ labelsMax: 2 });
  expect(["(other)", "a", "b", "c", "(other)"].map((label) => indexOf(table, label))).toEqual([
    0, 1, 2, 3, 0,
  ]);
  expect(table.texts).toEqual(["(other)", "a", "b", "(other)"]);
  expect([0, 1, 2, 3].map((index) => table.isOverLimit(index))).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test("clearing cached texts keeps the indexes of their labels", () => {
  const table = new LabelTable();
  for (const label of ["a", "", "b"]) indexOf(table, label);
  expect(table.empty).toBe(1);
  table.forgetTexts();
  expect([indexOf(table, "c"), indexOf(table, "b"), table.indexOfText("a")]).toEqual([3, 2, 0]);
  expect(table.texts).toEqual(["", "", "", "c"]);
  expect([0, 1, 2, 3].map((index) => table.textOf(index))).toEqual(["a", "", "b", "c"]);
  expect(table.empty).toBe(1);
});

function suffixOf(region: string): string {
  return seriesName("", [["region", region]]);
}

test("clearing keeps the texts of series and of overflow labels, which have no bytes of their own", () => {
  const table = new LabelTable();
  const a = indexOf(table, "a");
  for (const value of ["eu", "(other)"]) table.addSeries(a, suffixOf(value));
  const b = indexOf(table, "b");
  table.forgetTexts();
  const series = ["eu", "(other)"].map((value) => `a\u0001["region","${value}"]`);
  expect(table.texts).toEqual(["", ...series, ""]);
  expect(table.texts[table.addSeries(b, suffixOf("us"))]).toBe('b\u0001["region","us"]');
  const other = table.overflowFor("request");
  table.forgetTexts();
  expect([other, b].map((index) => table.textOf(index))).toEqual(["(other)", "b"]);
});

test("bytes that are not UTF-8, escaped and shortened labels are read again as they were", () => {
  const table = new LabelTable({}, {});
  table.indexOf(Uint8Array.of(0x61, 0xff), 0, 2);
  indexOf(table, 'GET /\u0001["region","eu"]');
  expect(indexOf(table, "x".repeat(1025))).toBe(LABEL_TOO_LONG);
  table.indexOfTooLong();
  const before = [...table.texts];
  table.forgetTexts();
  expect(table.texts).toEqual(before.map(() => ""));
  expect(before.map((_, index) => table.textOf(index))).toEqual(before);
});

test.each([[{}], [{ grouping: { ids: true, rules: [] } }]])(
  "a label is found by its text, but no series and none that is unknown: %j",
  (options) => {
    const table = new LabelTable(options);
    const users = indexOf(table, "/users/{id}");
    table.addSeries(users, suffixOf("eu"));
    expect(table.find("/users/{id}")).toBe(users);
    expect(table.find('/users/{id}\u0001["region","eu"]')).toBeUndefined();
    expect(table.find("/carts")).toBeUndefined();
  },
);

test("series of a label whose text was cleared are named by it", () => {
  const table = new LabelTable();
  for (const label of ["x", "GET /商品", "y"]) indexOf(table, label);
  table.forgetTexts();
  const series = table.addSeries(1, " of a group");
  expect(table.texts[series]).toBe("GET /商品 of a group");
  expect(table.texts[table.addSeries(0, "")]).toBe("x");
});
