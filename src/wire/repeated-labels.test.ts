import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { decodeBatch, encodeBatch } from "./batch.ts";

function sent(...labels: readonly string[]): Uint8Array {
  return encodeBatch(batchOf(labels.map((label) => sample(label, 10))));
}

test("a list of labels that is sent again is the same list", () => {
  const { labels } = decodeBatch(sent("a", "b", "c"));
  const again = decodeBatch(sent("a", "b", "c"));
  expect(again.labels).toBe(labels);
});

test.each([
  ["another label between the same ends", ["a", "x", "c"]],
  ["fewer labels", ["a", "c"]],
  ["more labels", ["a", "b", "c", "d"]],
  ["another order", ["b", "a", "c"]],
])("%s is another list", (_, labels) => {
  decodeBatch(sent("a", "b", "c"));
  expect(decodeBatch(sent(...labels)).labels).toEqual(labels);
  expect(decodeBatch(sent("a", "b", "c")).labels).toEqual(["a", "b", "c"]);
});

test("a refused list is checked again", () => {
  const long = "x".repeat(1025);
  for (let time = 0; time < 2; time++) {
    expect(() => decodeBatch(sent("a", long, "c"))).toThrow("labels[1] of its head");
  }
});
