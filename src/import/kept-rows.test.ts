import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsOf } from "../../test/support/plain-points.ts";
import { failureTable, userTable } from "../../test/support/plain-details.ts";
import { withoutLabels } from "./kept-rows.ts";

const NO_FAILURES = failureTable([]);
const NO_USERS = userTable([]);

const LABELS = ["a", "b", "c", "__proto__"];

const samples = fc.array(
  fc.record({
    endpoint: fc.nat({ max: LABELS.length - 1 }),
    second: fc.nat({ max: 3 }),
    elapsedMicros: fc.nat({ max: 5_000_000 }),
    receivedBytes: fc.nat({ max: 1000 }),
    failed: fc.boolean(),
  }),
);

test("removing labels leaves what the other requests alone would give", () => {
  fc.assert(
    fc.property(samples, fc.subarray(LABELS), (all, labels) => {
      const isLeft = ({ endpoint }: { readonly endpoint: number }): boolean =>
        !labels.includes(LABELS[endpoint] ?? "");
      const measured = {
        labels: LABELS,
        points: pointsOf(all),
        failures: NO_FAILURES,
        users: NO_USERS,
      };
      const { rest, requests } = withoutLabels(measured, labels);
      expect(rest).toEqual({ ...measured, points: pointsOf(all.filter(isLeft)) });
      expect(requests).toBe(all.filter((sample) => !isLeft(sample)).length);
    }),
  );
});

test("failures are removed with their labels; users stay", () => {
  const counts = {
    endpoint: Uint32Array.of(0, 1, 1),
    kind: Uint32Array.of(0, 0, 0),
    second: Uint32Array.of(5, 5, 6),
    requests: Float64Array.of(1, 2, 3),
  };
  const failures = { kinds: [{ code: "500", message: "" }], counts };
  const measured = { labels: LABELS, points: pointsOf([]), failures, users: NO_USERS };
  const { rest } = withoutLabels(measured, ["b"]);
  expect(rest.failures.counts).toEqual({
    endpoint: Uint32Array.of(0),
    kind: Uint32Array.of(0),
    second: Uint32Array.of(5),
    requests: Float64Array.of(1),
  });
  expect(rest.users).toBe(NO_USERS);
});
