import { expect, test } from "vitest";
import { shownPart } from "./shown-part.ts";

const TWO = { base: "old", id: "new" };
const HASH = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";

test("the URL holds everything that is shown", () => {
  const search =
    "skipStart=60&until=300&statistic=average&sort=label&order=reversed&verdict=tooFew" +
    `&filter=%2Fcart&endpoint=${HASH}`;
  expect(shownPart(TWO, new Map(new URLSearchParams(search)))).toEqual({
    compared: { ...TWO, skipStart: 60, until: 300 },
    statistic: "average",
    figure: "avgLoadTime",
    figureName: "average",
    order: { column: "label", isReversed: true, figure: "avgLoadTime" },
    filter: "/cart",
    kind: "tooFew",
    hash: HASH,
  });
});

test("missing or invalid parameters show everything, worst first", () => {
  const search = "skipStart=x&until=-1&statistic=max&sort=no&verdict=no&endpoint=x";
  const all = shownPart(TWO, new Map());
  expect(shownPart(TWO, new Map(new URLSearchParams(search)))).toEqual(all);
  expect(all).toMatchObject({
    compared: { ...TWO, skipStart: 0, until: undefined },
    statistic: "p95",
    order: { column: "verdict", isReversed: false },
  });
});

test.each([
  ["failed/s", "p95"],
  ["p99", "p99"],
])("with %s over time the table has %s", (statistic, figure) => {
  expect(shownPart(TWO, new Map([["statistic", statistic]]))).toMatchObject({ statistic, figure });
});

test("an end before the start is ignored", () => {
  const parameters = new Map([
    ["skipStart", "60"],
    ["until", "60"],
  ]);
  expect(shownPart(TWO, parameters).compared).toEqual({ ...TWO, skipStart: 60, until: undefined });
});
