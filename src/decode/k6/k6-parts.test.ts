import { expect, test } from "vitest";
import { ERROR, K6Parts, NAME, TIME } from "./k6-tags.ts";

test.each([
  ["all fit", 4, 4],
  ["the first one is longer than the room", 100, 4],
  ["the second one is", 4, 100],
])("parts of any length are kept: %s", (_, first, second) => {
  const parts = new K6Parts(16);
  parts.begin();
  parts.put(NAME, Buffer.alloc(first, "n"));
  parts.put(ERROR, Buffer.alloc(second, "e"));
  parts.put(TIME, Buffer.alloc(200, "7"));
  expect(parts.text(NAME)).toBe("n".repeat(first));
  expect(parts.text(ERROR)).toBe("e".repeat(second));
  expect(parts.text(TIME)).toBe("7".repeat(200));
});
