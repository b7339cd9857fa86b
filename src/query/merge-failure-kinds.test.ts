import { expect, test } from "vitest";
import { mergeFailureKinds } from "./merge-failure-kinds.ts";
import type { EndpointFailureKinds, KindCount } from "./read-failures.ts";

/** A kind with one failure in each of the seconds. */
function kindOf(message: string, ...seconds: readonly number[]): KindCount {
  const known = seconds.filter((second) => second > 0);
  return {
    code: "500",
    message,
    count: seconds.length,
    from: known[0],
    until: known.at(-1),
    seconds: seconds.map((second) => ({ second, requests: 1 })),
  };
}

function endpointWith(label: string, kinds: readonly KindCount[]): EndpointFailureKinds {
  const named = kinds.reduce((sum, { count }) => sum + count, 0);
  return { label, hash: label, errCount: named + 1, withoutKind: 1, kinds };
}

test("the same kind of several endpoints becomes one, the endpoint with the most first", async () => {
  const merged = await mergeFailureKinds(
    [
      endpointWith("a", [kindOf("x", 0, 70)]),
      endpointWith("b", [kindOf("y", 5), kindOf("x", 61, 119, 120)]),
    ],
    60,
  );
  expect(merged).toMatchObject({ errCount: 8, withoutKind: 2 });
  expect(merged.kinds).toEqual([
    {
      code: "500",
      message: "x",
      count: 5,
      from: 61,
      until: 120,
      seconds: [
        { second: 0, requests: 1 },
        { second: 60, requests: 3 },
        { second: 120, requests: 1 },
      ],
      endpoints: [
        { label: "b", hash: "b", count: 3 },
        { label: "a", hash: "a", count: 2 },
      ],
    },
    {
      code: "500",
      message: "y",
      count: 1,
      from: 5,
      until: 5,
      seconds: [{ second: 1, requests: 1 }],
      endpoints: [{ label: "b", hash: "b", count: 1 }],
    },
  ]);
});

test("a hundred kinds are named, and the others are still counted", async () => {
  const kinds = Array.from({ length: 130 }, (_, index) => kindOf(`kind ${index}`, 10, 20));
  const other = { ...kindOf("", 30), code: "", message: "(other)" };
  const merged = await mergeFailureKinds(
    [endpointWith("a", [...kinds.slice(0, 70), other]), endpointWith("b", kinds.slice(70))],
    1,
  );
  expect(merged.kinds).toHaveLength(101);
  expect(merged.kinds.at(-1)).toMatchObject({
    code: "",
    message: "(other)",
    count: 61,
    from: 10,
    until: 30,
    endpoints: [
      { label: "b", count: 60 },
      { label: "a", count: 1 },
    ],
  });
  const all = merged.kinds.reduce((sum, { count }) => sum + count, 0);
  expect(all).toBe(merged.errCount - merged.withoutKind);
});
