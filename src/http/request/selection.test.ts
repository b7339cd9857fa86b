import { expect, test } from "vitest";
import { checkSelection, selectionOf } from "./selection.ts";

function hashes(count: number): ReadonlyMap<string, string> {
  return new Map([["hashes", Array.from({ length: count }, () => "A".repeat(40)).join(",")]]);
}

test("more than 1,000 hashes are rejected, not dropped", () => {
  expect(checkSelection(hashes(1000))).toEqual([]);
  expect(selectionOf(hashes(1000))).toMatchObject({ hashes: { length: 1000 } });
  expect(checkSelection(hashes(1001))).toEqual([
    { parameter: "hashes", detail: "hashes: expected at most 1000 hashes, got 1001" },
  ]);
});
