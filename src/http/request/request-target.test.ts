import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseQuery } from "./request-target.ts";

test.each([
  ["", []],
  ["&&", []],
  ["a=1", [["a", "1"]]],
  ["a", [["a", ""]]],
  ["a=", [["a", ""]]],
  ["=x", [["", "x"]]],
  [
    "a=1&a=2",
    [
      ["a", "1"],
      ["a", "2"],
    ],
  ],
  ["a=b=c", [["a", "b=c"]]],
  ["a=b+c%2B", [["a", "b c+"]]],
  ["a%3D=%26", [["a=", "&"]]],
  ["f=%C3%A9%F0%9F%98%80", [["f", "é\u{1F600}"]]],
  ["f=%EF%BB%BFx", [["f", "\uFEFFx"]]],
  ["f=%00", [["f", "\u0000"]]],
  ["a;b=1", [["a;b", "1"]]],
])("%j holds %j", (query, fields) => {
  expect(parseQuery(query).map(({ name, value }) => [name, value])).toEqual(fields);
});

test.each([
  ["a single percent sign", "f=%"],
  ["one digit", "f=%2"],
  ["no hex digits", "f=%ZZ"],
  ["a byte that UTF-8 never has", "f=%FF"],
  ["a sequence cut short", "f=%C3"],
  ["an overlong sequence", "f=%C0%80"],
  ["a surrogate", "f=%ED%A0%80"],
  ["beyond Unicode", "f=%F4%90%80%80"],
  ["a bad name", "%FF=1"],
])("%s is refused", (_, query) => {
  expect(() => parseQuery(query)).toThrow(expect.objectContaining({ code: "bad-encoding" }));
});

test("whatever URLSearchParams writes is read back", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (pairs) => {
      const read = parseQuery(new URLSearchParams(pairs).toString());
      expect(read.map(({ name, value }) => [name, value])).toEqual(pairs);
    }),
  );
});
