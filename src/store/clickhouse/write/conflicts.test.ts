import * as fc from "fast-check";
import { expect, test } from "vitest";
import { followsColumn, withoutConflicts } from "./contents-choice.ts";

function batch(sequence: number, follows: number | "nothing" | undefined) {
  return { sequence, follows: followsColumn(follows) };
}

const none: [number, number | "nothing" | undefined][] = [];

test.each([
  ["nothing", none, []],
  [
    "a chain",
    [
      [5, "nothing"],
      [9, 5],
      [12, 9],
    ],
    [5, 9, 12],
  ],
  [
    "any batches",
    [
      [5, undefined],
      [2, undefined],
    ],
    [2, 5],
  ],
  [
    "a batch that was cut shorter by a follower that is gone",
    [
      [5, "nothing"],
      [7, 5],
      [9, 5],
    ],
    [5, 9],
  ],
  [
    "a longer one that was continued all the same",
    [
      [5, "nothing"],
      [9, 5],
      [7, 5],
      [12, 7],
    ],
    [5, 7, 12],
  ],
  [
    "a beginning that was sent twice",
    [
      [5, "nothing"],
      [8, "nothing"],
      [9, 8],
    ],
    [8, 9],
  ],
  [
    "a chain behind batches that may follow any",
    [
      [1, undefined],
      [3, undefined],
      [7, 3],
      [9, 3],
    ],
    [1, 3, 9],
  ],
  [
    "a chain around one of them",
    [
      [3, "nothing"],
      [5, undefined],
      [9, 5],
    ],
    [3, 5, 9],
  ],
] as const)("of %s, only the chain to the last batch counts", (_, batches, wanted) => {
  const found = withoutConflicts(batches.map(([sequence, follows]) => batch(sequence, follows)));
  expect(found.map(({ sequence }) => sequence)).toEqual(wanted);
});

test("each byte up to the last one counts once, however two followers cut the file", () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(cuts, cuts, (one, other) => {
      const batches = [one, other].flatMap((ends) => {
        const sorted = ends.toSorted((left, right) => left - right);
        return sorted.map((end, at) => batch(end, sorted[at - 1] ?? "nothing"));
      });
      // Two batches with the same number are one row.
      const rows = [...new Map(batches.map((each) => [each.sequence, each])).values()];
      let covered = 0;
      for (const { sequence, follows } of withoutConflicts(rows)) {
        expect(follows === 1 ? 0 : follows - 2).toBe(covered);
        covered = sequence;
      }
      expect(covered).toBe(Math.max(...one, ...other));
    }),
  );
});
