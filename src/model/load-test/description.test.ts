import { expect, test } from "vitest";
import { checkDescription, checkLinks, checkProperties } from "./description.ts";

test.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/a", "", "http://"])(
  "%j is no link",
  (url) => {
    expect(() => checkLinks({ build: url })).toThrow(/^links: expected at most 20 URLs of http/);
  },
);

test.each([
  { "": "x" },
  { "a b": "x" },
  { a: " " },
  { a: "line\nbreak" },
  { a: "\u001b[31m" },
  { a: "x".repeat(501) },
  Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`k${at}`, "x"])),
])("%j are no properties", (properties) => {
  expect(() => checkProperties(properties)).toThrow(/^properties: expected at most 100 texts/);
});

test("properties are ordered by key", () => {
  const properties = checkProperties({ "vcs/branch": "main", commit: "ab12", é: "1" });
  expect(Object.keys(properties)).toEqual(["commit", "vcs/branch", "é"]);
});

test("a blank description is none, a long one is refused", () => {
  expect(checkDescription(" \n")).toBeUndefined();
  expect(checkDescription("é".repeat(5120))).toHaveLength(5120);
  expect(() => checkDescription("é".repeat(5121))).toThrow("description: expected Markdown");
  expect(() => checkDescription("é".repeat(5121))).toThrow("got 10242 bytes");
  const withControl = "without control characters, got U+001B at character 4";
  expect(() => checkDescription("a\t\n\u001b[2J")).toThrow(withControl);
  expect(() => checkDescription("\ud800")).toThrow("got U+D800 at character 1");
});
