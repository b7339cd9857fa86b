import { expect, test } from "vitest";
import { facetsIn, facetsText, valuesOf, whereOf, withValues } from "./facet-filter.ts";

const chosenBy = (parameters: Record<string, string>) =>
  facetsIn(new Map(Object.entries(parameters)));

test("the URL chooses as the API takes it; what the API would refuse is left out", () => {
  expect(chosenBy({ where: "region:eu,scenario:a\\,b", by: "region" })).toEqual({
    where: "region:eu,scenario:a\\,b",
    by: "region",
  });
  for (const where of ["", "region", ":eu", "region:eu,us"]) {
    expect(chosenBy({ where })).toEqual({ where: undefined, by: undefined });
  }
  expect(chosenBy({ by: "region,scenario" }).by).toBeUndefined();
});

test("changing the values of one facet keeps the others, even with commas and colons in values", () => {
  const where = whereOf([
    ["region", "eu"],
    ["host", "a:1, b\\"],
  ]);
  expect(where).toBe(String.raw`region:eu,host:a:1\, b\\`);
  expect(valuesOf(where, "host")).toEqual(["a:1, b\\"]);
  const both = withValues(where, "region", ["eu", "us"]);
  expect(both).toBe(String.raw`host:a:1\, b\\,region:eu,region:us`);
  expect(facetsText({ where: both, by: "host" })).toBe("host a:1, b\\, region eu or us, by host");
  expect(withValues("region:eu", "region", [])).toBeUndefined();
});
