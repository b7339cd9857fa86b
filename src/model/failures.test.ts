import { expect, test } from "vitest";
import { testMergeLaws } from "../../test/support/merge-laws.ts";
import { failuresArbitrary, failureTable } from "../../test/support/plain-details.ts";
import { type FailureTable, mergeFailures } from "./failures.ts";

testMergeLaws({ rows: failuresArbitrary, tableOf: failureTable, merge: mergeFailures });

test("kinds without failures are left out, and kinds with equal texts are merged", () => {
  const kinds = ["unused", "twice", "twice"].map((message) => ({ code: "5", message }));
  const counts = {
    endpoint: Uint32Array.of(0, 0),
    kind: Uint32Array.of(1, 2),
    second: Uint32Array.of(7, 7),
    requests: Float64Array.of(2, 3),
  };
  const merged = mergeFailures([{ kinds, counts }]);
  expect(merged.kinds).toEqual([{ code: "5", message: "twice" }]);
  expect([...merged.counts.requests]).toEqual([5]);
});

test("only the kinds that the rows of a part refer to are read", () => {
  let looks = 0;
  const kinds = Array.from({ length: 1000 }, (_, number) => ({
    get code() {
      looks += 1;
      return String(number);
    },
    message: "",
  }));
  const { counts } = failed(1);
  expect([...mergeFailures([{ kinds, counts }, failed(2)]).counts.requests]).toEqual([2, 1]);
  expect(looks).toBeLessThan(50);
});

test("code and message stay distinct, whatever they contain", () => {
  const texts: [string, string][] = [
    ["1", "12"],
    ["11", "2"],
    ["", "1 12"],
    ["1 1", "2"],
  ];
  const failures = texts.map(([code, message]) => ({
    endpoint: 0,
    code,
    message,
    second: 1,
    requests: 1,
  }));
  expect(mergeFailures([failureTable(failures)]).kinds).toHaveLength(4);
});

test("a count beyond 2^53 - 1 is refused, and 2^53 - 1 itself is exact", () => {
  const large = failed(Number.MAX_SAFE_INTEGER - 1);
  expect(mergeFailures([large, failed(1)]).counts.requests[0]).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => mergeFailures([large, failed(1), failed(1)])).toThrow("2^53 - 1");
});

function failed(requests: number): FailureTable {
  return failureTable([{ endpoint: 0, code: "", message: "", second: 1, requests }]);
}
