import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const DOCUMENT = path.join(import.meta.dirname, "../docs/internals/capacity.md");

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  million: 1e6,
  MB: 1e6,
  billion: 1e9,
  GB: 1e9,
  trillion: 1e12,
  TB: 1e12,
};

/**
 * Rows whose second cell is arithmetic, such as `| points a day | 1000000 x 86400 | 86.4 billion |`.
 */
const ROWS = [
  ...readFileSync(DOCUMENT, "utf8").matchAll(
    /^\| ([^|]+?) +\| ([\d.x/() ]+?) +\| ([\d.]+)(.*?) +\|$/gm,
  ),
].map(([, what = "", arithmetic = "", number = "", unit = ""]) => ({
  what,
  arithmetic,
  result: Number(number) * (UNITS[unit.trim()] ?? Number.NaN),
}));

test("the tables of the capacity model exist", () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(20);
});

test.each(ROWS)("$what: $arithmetic", ({ arithmetic, result }) => {
  // Written with three digits.
  expect(valueOf(arithmetic) / result).toBeCloseTo(1, 2);
});

/** The value of products and quotients of numbers or of groups in brackets. */
function valueOf(arithmetic: string): number {
  const plain = arithmetic.replace(/\(([^)]*)\)/g, (_, group: string) => String(valueOf(group)));
  const [first, ...others] = plain.split(/ (?=[x/] )/);
  return others.reduce((value, other) => {
    const operand = Number(other.slice(2));
    return other.startsWith("x") ? value * operand : value / operand;
  }, Number(first));
}
