import { expect, test } from "vitest";
import { kindsOf } from "./failure-kinds.ts";

test("the same kind of several endpoints is one, and what is not told is a kind of its own", () => {
  const kind = { code: "500", message: "broken" };
  expect(
    kindsOf([
      {
        hash: "",
        label: "a",
        errCount: 3,
        withoutKind: 1,
        kinds: [{ ...kind, count: 2, from: 5, until: 9 }],
      },
      {
        hash: "",
        label: "b",
        errCount: 4,
        withoutKind: 0,
        kinds: [{ ...kind, count: 4, from: 3, until: 4 }],
      },
    ]),
  ).toEqual([
    { ...kind, failed: 6, from: 3, until: 9, labels: ["b", "a"] },
    {
      code: "",
      message: "(the source does not say why)",
      failed: 1,
      from: undefined,
      until: undefined,
      labels: ["a"],
    },
  ]);
});
