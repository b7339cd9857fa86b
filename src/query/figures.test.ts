import { expect, test } from "vitest";
import { DistributionSum } from "../series/distribution-sum.ts";
import { figuresOf } from "./figures.ts";

test("a small quotient is not rounded to zero", () => {
  const sum = new DistributionSum();
  sum.requests = 3_000_000n;
  sum.failedRequests = 1n;
  sum.receivedBytes = 1n;
  // From 1970 to 2026.
  [sum.from, sum.until] = [1, 1_780_000_000];
  expect(figuresOf(sum)).toMatchObject({ errRate: 3.33e-7, downloadSize: 3.33e-7 });
  sum.requests = 2n;
  expect(figuresOf(sum).reqPerSec).toBe(1.12e-9);
  sum.requests = 0n;
  expect(figuresOf(sum).reqPerSec).toBe(0);
});
