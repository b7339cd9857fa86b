import { expect, test } from "vitest";
import { parseMeasureQuery } from "./pull-measures.ts";

test.each([
  ["cpu=avg by (host) (load1)", "cpu", "avg by (host) (load1)"],
  [" disk free /var\t =\n a = b ", "disk free /var", "a = b "],
  ['up{job="a"}', undefined, 'up{job="a"}'],
  ["up == 1", undefined, "up == 1"],
  ["a =~ b", undefined, "a =~ b"],
])("the name of %j is %j", (text, name, query) => {
  expect(parseMeasureQuery(text)).toEqual({ name, query });
});

test("a query of blanks is read in linear time", () => {
  const beganMs = performance.now();
  const query = `a${" ".repeat(60_000)}(b`;
  expect(parseMeasureQuery(query)).toEqual({ name: undefined, query });
  expect(performance.now() - beganMs).toBeLessThan(500);
});
