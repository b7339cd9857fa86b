import { expect, test } from "vitest";
import { drawnLines } from "./drawn-lines.ts";

const SCOPE = { id: "a", filter: "", hashes: [], from: undefined, until: undefined };
const facet = (...values: string[]) => [
  {
    name: "host",
    values: values.map((value, at) => ({ value, requests: 100 - at })),
  },
];

test("eight values have lines, in the order of their names; one line has all others", () => {
  const hosts = ["i", "h", "g", "f", "e", "d", "c", "b", "a", "a,b"];
  const lines = drawnLines({ ...SCOPE, by: "host", where: "region:eu" }, facet(...hosts)) ?? [];
  expect(lines.map(({ text }) => text)).toEqual([
    "b",
    "c",
    "d",
    "e",
    "f",
    "g",
    "h",
    "i",
    "2 others",
  ]);
  expect(lines[0]).toMatchObject({ key: "=b", part: { where: "region:eu,host:b" }, requests: 93 });
  expect(lines.at(-1)).toMatchObject({
    part: {
      where: `region:eu,${"b,c,d,e,f,g,h,i"
        .split(",")
        .map((each) => `host!:${each}`)
        .join(",")}`,
    },
    requests: 92 + 91,
  });
});

test("chosen values have lines; with less than two, all is one", () => {
  const by = { ...SCOPE, by: "host" };
  const lines = drawnLines({ ...by, where: "host:a,host:c" }, facet("a", "b", "c"));
  expect(lines?.map(({ part }) => part)).toEqual([{ where: "host:a" }, { where: "host:c" }]);
  expect(drawnLines({ ...by, where: "host:a" }, facet("a", "b"))).toEqual([]);
  expect(drawnLines(by, facet())).toEqual([]);
  expect(drawnLines(by, undefined)).toBeUndefined();
  expect(drawnLines(SCOPE, undefined)).toEqual([]);
});

test("a tree of the table leaves the chart as it is", () => {
  expect(drawnLines({ ...SCOPE, by: "group", tree: true }, facet("a", "b"))).toEqual([]);
});

test("selected endpoints come before values", () => {
  const lines = drawnLines({ ...SCOPE, hashes: ["1", "2"], by: "host" }, facet("a", "b"));
  expect(lines?.map(({ key }) => key)).toEqual(["1", "2"]);
});
