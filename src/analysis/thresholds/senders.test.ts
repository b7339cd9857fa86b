import { expect, test } from "vitest";
import { Senders } from "./senders.ts";

const NOW = 1_700_000_000;

/** Batches at seconds after `NOW`: who sends, up to which second. */
function lastOf(
  batches: readonly (readonly [at: number, source: string, last: number])[],
  at: number,
): number | undefined {
  const senders = new Senders();
  for (const [second, source, last] of batches) {
    senders.observe(source, { first: NOW + last, last: NOW + last }, (NOW + second) * 1000);
  }
  const last = senders.lastCommonSecond((NOW + at) * 1000);
  return last === undefined ? undefined : last - NOW;
}

test.each([
  ["nobody", [], 0, undefined],
  ["one", [[5, "a", 3]], 5, 3],
  [
    "an older batch of the same one",
    [
      [5, "a", 4],
      [6, "a", 2],
    ],
    6,
    4,
  ],
  [
    "two: the slower",
    [
      [5, "a", 4],
      [5, "b", 1],
    ],
    5,
    1,
  ],
  [
    "one whose clock is 30 s ahead",
    [
      [5, "a", 4],
      [5, "b", 34],
    ],
    5,
    4,
  ],
  [
    "the same through one source",
    [
      [5, "a", 4],
      [5, "a", 34],
      [6, "a", 5],
      [6, "a", 35],
    ],
    6,
    5,
  ],
  [
    "one that has been silent for 11 s",
    [
      [5, "a", 4],
      [16, "b", 15],
    ],
    16,
    15,
  ],
  [
    "one that has been silent for 9 s",
    [
      [7, "a", 4],
      [16, "b", 15],
    ],
    16,
    4,
  ],
  [
    "one whose clock is an hour behind",
    [
      [5, "a", 4],
      [5, "b", -3600],
    ],
    5,
    4,
  ],
  [
    "one whose clock is an hour ahead",
    [
      [5, "a", 4],
      [5, "b", 3600],
    ],
    5,
    4,
  ],
  [
    "all silent: the slowest",
    [
      [5, "a", 4],
      [5, "b", 3],
    ],
    60,
    3,
  ],
] as const)("%s", (_, batches, at, last) => {
  expect(lastOf(batches, at)).toBe(last);
});

test("one request reported an hour late delays the judging of others for a while only", () => {
  const senders = new Senders();
  const late = Array.from({ length: 400 }, (_, at) => {
    const first = NOW + at - (at === 10 ? 3600 : 0);
    senders.observe("a", { first, last: NOW + at }, (NOW + at) * 1000);
    return senders.lateSeconds;
  });
  expect([late[9], late[10], late[399]]).toEqual([0, 30, 0]);
});
