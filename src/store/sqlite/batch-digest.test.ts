import { expect, test } from "vitest";
import { densePoints } from "../../../test/support/dense-points.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { arrangePoints } from "../series.ts";
import { NO_FAILURES } from "../stored-failures.ts";
import { NO_USERS } from "../stored-users.ts";
import { digestOf } from "./batch-digest.ts";
import { numberPoints } from "./numbered-points.ts";

const shape = { requestsPerPoint: 3, firstSecond: 1_790_000_000 };

function digestUnder(points: DataPoints, numbers: readonly number[]): string {
  const contents = { failures: NO_FAILURES, users: NO_USERS, roles: new Map() };
  const numbered = numberPoints(points, Uint32Array.from(numbers));
  return Buffer.from(digestOf({ ...contents, points: numbered })).toString("hex");
}

/** The points of three labels of so many seconds each, in the order c, a, b. */
function rotated(points: DataPoints, seconds: number): DataPoints {
  const stretches = [2, 0, 1].map((label) => ({
    from: label * seconds,
    until: (label + 1) * seconds,
  }));
  return { ...arrangePoints(points, stretches), endpoint: points.endpoint };
}

test.each([2, 100])("the order of labels does not matter, with %d seconds of each", (seconds) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds });
  const digest = digestUnder(points, [4, 7, 9]);
  expect(digestUnder(rotated(points, seconds), [9, 4, 7])).toBe(digest);
  expect(digestUnder(points, [4, 7, 8])).not.toBe(digest);
});

test.each([2, 100])("every column matters, with %d seconds of each label", (seconds) => {
  const points = densePoints({ ...shape, endpoints: 3, seconds });
  const digest = digestUnder(points, [4, 7, 9]);
  const { endpoint: _, windowSeconds: __, ...columns } = points;
  for (const [name, column] of Object.entries(columns)) {
    const changed = column.slice();
    changed[1] = (changed[1] as number) + 1;
    expect([name, digestUnder({ ...points, [name]: changed }, [4, 7, 9])]).not.toEqual([
      name,
      digest,
    ]);
  }
  const windowSeconds = new Uint16Array(3 * seconds).fill(2);
  expect(digestUnder({ ...points, windowSeconds }, [4, 7, 9])).not.toBe(digest);
});
