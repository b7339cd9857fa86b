import * as fc from "fast-check";
import { expect, test } from "vitest";
import { otherCase } from "./no-match.tsx";

test.each([
  ["/Cart", ["GET /cart", "POST /cart", "GET /CART", "GET /"], { text: "/cart", endpoints: 2 }],
  ["get", ["GET /a", "GET /b", "Get it"], { text: "GET", endpoints: 2 }],
  ["a.b", ["A.B", "axb"], { text: "A.B", endpoints: 1 }],
  ["(x)[1]{2}*\\^$|?+", ["(X)[1]{2}*\\^$|?+"], { text: "(X)[1]{2}*\\^$|?+", endpoints: 1 }],
  ["ä/Ö", ["Ä/ö ä/ö", "ä/ö"], { text: "ä/ö", endpoints: 2 }],
  ["/card", ["GET /cart"], undefined],
  ["x", [], undefined],
])("%j in %j is to be written %j", (filter, labels, spelling) => {
  expect(otherCase(filter, labels)).toEqual(spelling);
});

test("a suggestion is contained, as written, in the stated number of labels", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "A", "b", "B", "/", ".", "ß", "ẞ", "İ") });
  const property = fc.property(
    letters.filter((filter) => filter !== ""),
    fc.array(letters),
    (filter, labels) => {
      const spelling = otherCase(filter, labels);
      if (spelling === undefined) return;
      const containing = labels.filter((label) => label.includes(spelling.text));
      expect(containing.length).toBeGreaterThanOrEqual(spelling.endpoints);
    },
  );
  fc.assert(property);
});
