import { expect, test } from "vitest";
import { differenceOf } from "./compared-measures.tsx";

test.each([
  [0.021, "+2.1"],
  [-0.5, "−50"],
  [0, "0"],
])("a share that changed by %d changed by %s percentage points", (by, digits) => {
  expect(differenceOf({ kind: "rate" }, by)).toEqual({ digits, unit: "pp" });
});
