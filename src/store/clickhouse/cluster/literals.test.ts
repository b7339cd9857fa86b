import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  hashLiteral,
  idLiteral,
  integerLiteral,
  textLiteral,
  unsigned64Literal,
} from "./literals.ts";

const hash = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

test.each([
  [idLiteral("2026-11_Checkout.7"), "'2026-11_Checkout.7'"],
  [idLiteral("x".repeat(128)), `'${"x".repeat(128)}'`],
  [idLiteral("web/run-7"), "'web/run-7'"],
  [hashLiteral(hash), `'${hash}'`],
  [integerLiteral(0), "0"],
  [integerLiteral(-0), "0"],
  [integerLiteral(Number.MAX_SAFE_INTEGER), "9007199254740991"],
  [unsigned64Literal(0n), "0"],
  [unsigned64Literal(0xffff_ffff_ffff_ffffn), "18446744073709551615"],
  [textLiteral(""), "unhex('')"],
  [textLiteral("'; DROP TABLE x"), "unhex('273b2044524f50205441424c452078')"],
  [textLiteral("\0\\é€😀"), "unhex('005cc3a9e282acf09f9880')"],
])("a literal has the syntax of ClickHouse: %s", (literal, expected) => {
  expect(literal).toBe(expected);
});

test.each([
  ["", () => idLiteral("")],
  ["129 characters", () => idLiteral("x".repeat(129))],
  ["a quote", () => idLiteral("a'b")],
  ["a line break at the end", () => idLiteral("a\n")],
  ["a project of a project", () => idLiteral("a/b/c")],
  ["a quote in a project", () => idLiteral("a'/b")],
  ["39 digits", () => hashLiteral(hash.slice(1))],
  ["upper digits", () => hashLiteral(hash.toUpperCase())],
  ["a line break behind the digits", () => hashLiteral(`${hash}\n`)],
  ["a negative integer", () => integerLiteral(-1)],
  ["half a request", () => integerLiteral(0.5)],
  ["what is not exact", () => integerLiteral(2 ** 53)],
  ["no number", () => integerLiteral(Number.NaN)],
  ["a negative large integer", () => unsigned64Literal(-1n)],
  ["65 bits", () => unsigned64Literal(2n ** 64n)],
])("an invalid value is a bug: %s", (_, literal) => {
  expect(literal).toThrow(/^BUG: no literal for a query: want .*, got /);
});

test("no text terminates its literal, and its bytes are preserved", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const digits = /^unhex\('((?:[0-9a-f]{2})*)'\)$/.exec(textLiteral(text))?.[1];
      expect(Buffer.from(digits ?? "none", "hex").toString("utf8")).toBe(text);
    }),
  );
});
