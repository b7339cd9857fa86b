import { expect, test } from "vitest";
import { complaintOf, EMPTY, rowsOf, thresholdsOf } from "./thresholds-form.tsx";

test("each expression is a row, and each row a threshold", () => {
  const policy = { owner: "shop", acceptedUntil: "2026-12-31", reason: "SHOP-1" } as const;
  const rows = rowsOf([
    { failIf: ["p95 > 500ms", "errors > 1%"], ...policy },
    { failIf: ["each */cart: avg > 1s"], severity: "warn" },
  ]);
  expect(thresholdsOf(rows)).toEqual([
    { failIf: ["p95 > 500ms"], ...policy },
    { failIf: ["errors > 1%"], ...policy },
    { failIf: ["each */cart: avg > 1s"], severity: "warn" },
  ]);
});

test("what the form does not show is kept", () => {
  const others = { allowRejected: "1%", better: "higher", allowMissing: true } as const;
  const kept = [{ failIf: ["p95 > 500ms"], ...others }];
  expect(thresholdsOf(rowsOf(kept))).toEqual(kept);
});

test("spaces around texts are dropped", () => {
  const row = { ...EMPTY, failIf: " p95 > 1s ", owner: " b " };
  expect(thresholdsOf([row])).toEqual([{ failIf: ["p95 > 1s"], owner: "b" }]);
});

test("an error names the threshold by its number", () => {
  expect(complaintOf("thresholds.1.failIf.0: expected ms; thresholds.0.reason: is required")).toBe(
    "Threshold 2: expected ms; Threshold 1: is required",
  );
});
