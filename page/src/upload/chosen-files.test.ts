import { expect, test } from "vitest";
import { mayBeResult, nameAfter } from "./chosen-files.ts";

test.each([
  ["checkout-2026-11-30.jtl.gz", "checkout"],
  ["Web shop 7.csv", "web-shop"],
  ["results.jtl", "results.jtl"],
  ["42.jtl", "42.jtl"],
  ["", ""],
])("%s is suggested the name %s", (file, name) => {
  expect(nameAfter(file, ["checkout", "web-shop", "Checkout", "7"])).toBe(name);
});

test.each([
  ["run.jtl", true],
  ["simulation.log", true],
  ["phout", true],
  ["index.html", false],
  [".DS_Store", false],
])("%s in a folder may be a result: %s", (name, isResult) => {
  expect(mayBeResult({ name })).toBe(isResult);
});
