/**
 * How many random cases a property is tried with: `count` in the nightly run (TACHOGRAPH_RANDOM_CASES=all),
 * a quarter of them in each other, where thousands of properties would take most of the time.
 */
export function randomCases(count: number): number {
  return process.env["TACHOGRAPH_RANDOM_CASES"] === "all" ? count : Math.ceil(count / 4);
}
