import { expect, test } from "vitest";
import { pointsOf } from "../../test/support/plain-points.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { NO_USERS } from "../store/stored-details.ts";
import { KindLimit } from "./kind-limit.ts";

/** Returns one failure of the endpoint `cart` for each message. */
function failuresOf(messages: readonly string[]): MeasurementBatch {
  return {
    labels: ["unused", "cart"],
    points: pointsOf([]),
    failures: {
      kinds: messages.map((message) => ({ code: "0", message })),
      counts: {
        endpoint: Uint32Array.from(messages, () => 1),
        kind: Uint32Array.from(messages.keys()),
        second: Uint32Array.from(messages, () => 7),
        requests: Float64Array.from(messages, () => 2),
      },
    },
    users: NO_USERS,
  };
}

function numbered(from: number, until: number): string[] {
  return Array.from({ length: until - from }, (_, index) => `request ${from + index}`);
}

/** Returns the number of failures by message. */
function counted({ failures: { kinds, counts } }: MeasurementBatch): ReadonlyMap<string, number> {
  return new Map(
    [...counts.kind].map((kind, row) => [
      kinds[kind]?.message ?? "",
      counts.requests[row] as number,
    ]),
  );
}

test("an endpoint has at most 100 failure kinds over all writes, and no failure is lost", () => {
  const limit = new KindLimit();
  expect(counted(limit.limit("run", failuresOf(numbered(0, 60)))).size).toBe(60);
  const second = failuresOf(numbered(60, 120));
  const limited = counted(limit.limit("run", second));
  expect([limited.size, limited.get("request 99"), limited.get("(other)")]).toEqual([41, 2, 40]);
  // The result is the same when repeated, and earlier kinds are still accepted.
  expect(counted(limit.limit("run", second))).toEqual(limited);
  expect(counted(limit.limit("run", failuresOf(["request 5"])))).toEqual(
    new Map([["request 5", 2]]),
  );
  expect(counted(limit.limit("another", second)).size).toBe(60);
});

test("over the memory limit, the kinds of the least recently used load test are dropped", () => {
  const limit = new KindLimit(150);
  limit.limit("a", failuresOf(numbered(0, 100)));
  limit.limit("b", failuresOf(numbered(0, 100)));
  expect(counted(limit.limit("b", failuresOf(["new"]))).has("new")).toBe(false);
  expect(counted(limit.limit("a", failuresOf(["new"]))).has("new")).toBe(true);
});

test("a batch without failures is returned unchanged", () => {
  const measured = failuresOf([]);
  expect(new KindLimit().limit("run", measured)).toBe(measured);
});
