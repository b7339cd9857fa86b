import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { findMutants } from "./find-mutants.ts";
import { instrument } from "./instrument.ts";
import { changeOf } from "./mutant.ts";
import { Switches } from "./switches.ts";

test.each([
  ["a + b;", ["a + b; → (nothing)", "a + b → a - b"]],
  ["x(a < b);", ["a < b → a <= b", "a < b → a >= b", "a < b → true", "a < b → false"]],
  ["x(a ?? b);", ["a ?? b → a && b"]],
  ["x(`${a} of ` + b);", ["`${a} of ` → ``"]],
  [
    "x(a * (b || c));",
    ["a * (b || c) → a / (b || c)", "b || c → b && c", "b || c → true", "b || c → false"],
  ],
  ["if (a) b(); else c();", ["a → true", "a → false", "b(); → (nothing)", "c(); → (nothing)"]],
  ["if (a) b();", ["a → true", "a → false"]],
  ["while (a) b();", ["a → false", "b(); → (nothing)"]],
  ["x(Math.min(a, 7));", [".min → .max", "7 → 8"]],
  ["x(a.slice(b));", ["a.slice(b) → a"]],
  ["x(a?.b);", ["a?.b → a.b"]],
  ["x(!a, -b, true);", ["!a → a", "-b → b", "true → false"]],
  ["const a: 7 = b as 7;", []],
  ["const a = { b: '' };", ["{ b: '' } → {}", "'' → \"mutant\""]],
  ["const a = () => b;", ["b → undefined"]],
  [
    "function f() { a++; return b; }",
    ["{ a++; return b; } → {}", "a++ → a--", "a++; → (nothing)", "return b; → (nothing)"],
  ],
  ['throw new Error("BUG: a");', []],
  ["import a from 'b'; export * from 'c';", []],
])("%s has the mutants %j", (source, changes) => {
  const found = findMutants(source).map((mutant) => changeOf(mutant));
  // Each of these statements can be removed.
  const inside = found.filter((change) => !change.startsWith("x("));
  expect(inside.toSorted()).toEqual(changes.toSorted());
});

const SOURCE = `
  let sum = 0;
  for (const value of values) {
    if (value > 2) sum += value;
    else sum -= 1;
  }
  return Math.max(sum, -100);
`;

test("an instrumented file behaves as before until a mutant is on", () => {
  const mutants = findMutants(`function f(values) {${SOURCE}}`);
  const switches = new Switches();
  const text = instrument("f.js", `function f(values) {${SOURCE}}`, mutants);
  const world = { mutationSwitches: switches };
  const sumOf = runInNewContext(`${text}; f`, world) as (values: readonly number[]) => number;
  expect(sumOf([1, 2, 3, 4])).toBe(5);
  const outcomes = mutants.map((mutant) => {
    switches.turnOn({ file: "f.js", number: mutant.number });
    return [changeOf(mutant), sumOf([1, 2, 3, 4])];
  });
  switches.turnOn(undefined);
  expect(sumOf([1, 2, 3, 4])).toBe(5);
  expect(Object.fromEntries(outcomes)).toMatchObject({
    "value > 2 → value >= 2": 8,
    "sum += value → sum -= value": -9,
    "sum -= 1; → (nothing)": 7,
    ".max → .min": -100,
    "sum -= 1 → sum += 1": 9,
  });
});
