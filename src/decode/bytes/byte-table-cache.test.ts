import { expect, test } from "vitest";
import { BytesCache } from "./byte-table.ts";

const made: string[] = [];
const known = new BytesCache((bytes) => {
  const text = Buffer.from(bytes).toString();
  made.push(text);
  return text.toUpperCase();
});

function meaningOf(text: string): string {
  const bytes = Buffer.from(`-${text}\n\n\n`);
  return known.at(bytes, 1, bytes.length - 3);
}

test("a value is created once per text, and again after many other texts", () => {
  expect(["a", "b", "a", "b"].map(meaningOf)).toEqual(["A", "B", "A", "B"]);
  expect(made).toEqual(["a", "b"]);
  for (let id = 0; id < 20_000; id++) expect(meaningOf(`a${id}`)).toBe(`A${id}`);
  expect(meaningOf("a")).toBe("A");
  expect(made.length).toBe(20_003);
  expect(meaningOf("x".repeat(2 * 1024 * 1024)).length).toBe(2 * 1024 * 1024);
});
