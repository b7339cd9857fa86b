import { expect, test } from "vitest";
import { verdictOf } from "./evaluate-row.ts";

const ALIKE = { change: 0.01, low: -0.1, high: 0.1, isSignificant: false };
const ROW = {
  shift: { ...ALIKE, atMost: 0.04 },
  errRate: { change: 0, isSignificant: false },
  avgLoadTime: ALIKE,
  p50: ALIKE,
  p95: { ...ALIKE, atMost: 0.2 },
  p99: { isSignificant: false },
};

// 1 / 1.1 - 1 is -9.1 %: as large a decline as a growth of 10 %.
test.each([
  { name: "a shift of 5 % and one of p95 of 25 % are excluded", row: {}, verdict: "unchanged" },
  {
    name: "a shift of 5 % is possible",
    row: { shift: { ...ALIKE, atMost: 0.05 } },
    verdict: "inconclusive",
  },
  { name: "the shift is unknown", row: { shift: {} }, verdict: "inconclusive" },
  {
    name: "p95 may differ by 25 %",
    row: { p95: { ...ALIKE, atMost: 0.25 } },
    verdict: "inconclusive",
  },
  {
    name: "p99 grew by 10 %, and a decline by as much is excluded",
    row: { p99: { change: 0.1, low: -0.09, high: 0.3, isSignificant: false } },
    verdict: "inconclusive",
  },
  {
    name: "p99 grew by 10 %, and may have declined by as much",
    row: { p99: { change: 0.1, low: -0.092, high: 0.3, isSignificant: false } },
    verdict: "unchanged",
  },
  {
    name: "the average fell by 1 / 1.1, and growth by 10 % is excluded",
    row: { avgLoadTime: { change: -0.0909, low: -0.3, high: 0.099, isSignificant: false } },
    verdict: "inconclusive",
  },
  {
    name: "p50 grew by 4 % for sure",
    row: { p50: { change: 0.04, low: 0.03, high: 0.05, isSignificant: true } },
    verdict: "unchanged",
  },
])("if $name, a row is $verdict", ({ row, verdict }) => {
  expect(verdictOf({ ...ROW, ...row }, { base: 900, value: 900 })).toBe(verdict);
});
