import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Format } from "../decoder.ts";
import { checkLabelTemplate, LabelTemplate } from "./label-template.ts";
import { LABEL_TOO_LONG, LabelTable } from "./label-table.ts";

const FIELDS = ["method", "URL", "url", "group"];

function labelOf(template: string, values: Readonly<Record<string, string>> = {}): string {
  const labels = new LabelTable();
  const contentsOf = (field: number): Uint8Array => Buffer.from(values[FIELDS[field] ?? ""] ?? "");
  const index = new LabelTemplate(template, FIELDS).indexIn(labels, contentsOf);
  return labels.texts[index] ?? "none";
}

test.each([
  { template: "{method} {url}", label: "GET /cart" },
  { template: "{URL}", label: "/CART" },
  { template: "{Method}{method}", label: "GETGET" },
  { template: "all of it", label: "all of it" },
  { template: "", label: "" },
  { template: "{group}", label: "" },
  { template: "{{{method}}} {{}}", label: "{GET} {}" },
  { template: "корзина 🛒 {url}", label: "корзина 🛒 /cart" },
])("$template gives $label", ({ template, label }) => {
  expect(labelOf(template, { method: "GET", url: "/cart", URL: "/CART" })).toBe(label);
});

test.each([
  { template: "{path}", says: 'the source has no field "path", known are "method", "URL"' },
  { template: "{}", says: 'no field ""' },
  { template: "{method", says: "got a single {, want {field}, or {{ and }} for braces" },
  { template: "method}", says: "got a single }" },
])("$template is not a valid template", ({ template, says }) => {
  expect(() => labelOf(template)).toThrow(says);
});

test("any text can be written with doubled braces and fields", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 20 }), fc.string(), (text, value) => {
      const escaped = text.replaceAll(/[{}]/g, "$&$&");
      expect(labelOf(`{url}${escaped}`, { url: value })).toBe((value + text).toWellFormed());
    }),
    { numRuns: 50 },
  );
});

test("a label of more than 1,024 bytes is too long", () => {
  const template = new LabelTemplate("x{f}", ["f"]);
  const labels = new LabelTable();
  expect(template.indexIn(labels, () => Buffer.alloc(1023, "y"))).toBe(0);
  expect(template.indexIn(labels, () => Buffer.alloc(1024, "y"))).toBe(LABEL_TOO_LONG);
});

test.each([
  { labelFields: undefined, labelTemplate: undefined, says: /^nothing$/ },
  { labelFields: undefined, labelTemplate: "x", says: /labels of some-format cannot be chosen/ },
  { labelFields: "columns" as const, labelTemplate: "{anything}", says: /^nothing$/ },
  { labelFields: "columns" as const, labelTemplate: "{", says: /got a single \{/ },
  { labelFields: ["name"], labelTemplate: "{name}", says: /^nothing$/ },
  { labelFields: ["name"], labelTemplate: "{url}", says: /no field "url", known are "name"/ },
  { labelFields: [], labelTemplate: "{url}", says: /no field "url", it has none/ },
  { labelFields: [], labelTemplate: "GET /cart", says: /^nothing$/ },
])(
  "a format with the fields $labelFields and the template $labelTemplate: $says",
  ({ labelFields, labelTemplate, says }) => {
    const format: Format = {
      name: "some-format",
      recognises: () => true,
      open: () => expect.fail("not to be opened"),
      ...(labelFields === undefined ? {} : { labelFields }),
    };
    expect(sayingOf(() => checkLabelTemplate(format, { timeZone: "UTC", labelTemplate }))).toMatch(
      says,
    );
  },
);

function sayingOf(check: () => void): string {
  try {
    check();
    return "nothing";
  } catch (error) {
    return String(error);
  }
}
