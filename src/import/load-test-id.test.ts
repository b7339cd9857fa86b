import { expect, test } from "vitest";
import { checkLoadTestId, createLoadTestId, LOAD_TEST_ID_RANDOM_END } from "./load-test-id.ts";

test("ids sort by creation time, as numbers and as text, and fit into 63 bits", () => {
  const atMs = Date.UTC(2026, 10, 21);
  const earlier = createLoadTestId(atMs, LOAD_TEST_ID_RANDOM_END - 1);
  const later = createLoadTestId(atMs + 1, 0);
  expect(BigInt(later)).toBe(BigInt(earlier) + 1n);
  expect(earlier < later).toBe(true);
  const last = createLoadTestId(Date.UTC(2039, 0, 1), LOAD_TEST_ID_RANDOM_END - 1);
  expect(BigInt(last)).toBeLessThan(2n ** 63n);
  expect([earlier.length, last.length]).toEqual([19, 19]);
});

test.each(["", "a b", "ä", "x".repeat(129), "a/b", ".", ".."])("%j is not a valid id", (id) => {
  expect(() => checkLoadTestId(id)).toThrow("1 to 128 of A-Z a-z 0-9 . _ -, but not . or ..");
});

test.each(["42", "042", "A.b_c-9", "...", ".a", "x".repeat(128)])("%j is a valid id", (id) => {
  expect(checkLoadTestId(id)).toBe(id);
});
