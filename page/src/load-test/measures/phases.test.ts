import { expect, test } from "vitest";
import type { MeasureFacts } from "../../api/measures.ts";
import { phasesOf, stackedLines } from "./phases.ts";

test("phases stand one upon the other, the last on top", () => {
  const lines = stackedLines([
    { name: "sending", values: [1, 2, null] },
    { name: "waiting", values: [10, 20, 30] },
    { name: "receiving", values: [5, null, 5] },
  ]);
  expect(lines.map(({ text, downTo, values, part }) => [text, downTo, values, part])).toEqual([
    ["receiving", [11, 22, null], [16, null, null], [5, null, null]],
    ["waiting", [1, 2, null], [11, 22, null], [10, 20, null]],
    ["sending", [0, 0, null], [1, 2, null], [1, 2, null]],
  ]);
});

function measure(name: string, hash?: string): MeasureFacts {
  const more = { from: 1, until: 1, ...(hash && { endpoint: { hash, label: hash } }) };
  return { key: name, name, unit: "ms", kind: "distribution", tags: {}, count: 1, ...more };
}

test("the phases of k6 come in the order in which they pass, if they are of an endpoint", () => {
  const names = ["receiving", "waiting", "connect", "blocked", "iterations"];
  const measures = [...names.map((name) => measure(name, "a")), measure("sending")];
  expect(phasesOf(measures).map(({ name }) => name)).toEqual([
    "blocked, connecting",
    "waiting",
    "receiving",
  ]);
});
