import { expect, test } from "vitest";
import { SumRoom } from "./columns.ts";

test.each([
  [0, 0],
  [8, 9],
  [9, 8],
  [100, 40],
  [40, 100],
])("%d points after which %d are opened leave no value behind", (before, after) => {
  const room = new SumRoom();
  for (const column of Object.values(room.open(before, ["windowSeconds"]))) column.fill(7);
  const { windowSeconds, ...columns } = room.open(after, ["windowSeconds"]);
  expect([...(windowSeconds ?? [])]).toEqual(Array.from({ length: after }, () => 1));
  expect(Object.keys(columns).toSorted()).toEqual([
    "elapsedMicros",
    "failedElapsedMicros",
    "failedReceivedBytes",
    "failedRequests",
    "receivedBytes",
    "requests",
    "second",
  ]);
  for (const column of Object.values(columns)) {
    expect(Array.from(column ?? [])).toEqual(Array.from({ length: after }, () => 0));
  }
});

test("columns do not overlap", () => {
  const columns = Object.values(new SumRoom().open(50, []));
  for (const [index, column] of columns.entries()) column.fill(index + 1);
  expect(columns.map((column) => [...new Set<number>(column)])).toEqual(
    columns.map((_, index) => [index + 1]),
  );
});
