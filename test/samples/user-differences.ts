/** Compares the returned active users with those of each second in the independent reading. */

import { readUsers } from "../../src/query/read-users.ts";
import type { Points } from "../../src/store/store.ts";
import type { IndependentUsers } from "../independent/read-results.mjs";
import { LOAD_TEST_ID } from "./import-and-read.ts";

/**
 * One line for the first second whose users differ, in the complete load test and in a third of it.
 */
export async function userDifferences(
  points: Points,
  users: readonly IndependentUsers[],
): Promise<string[]> {
  const seconds = users.map(({ second }) => Number(second));
  if (seconds.length === 0) return [];
  const first = seconds.reduce((least, second) => Math.min(least, second));
  const last = seconds.reduce((most, second) => Math.max(most, second));
  const third = Math.ceil((last - first) / 3);
  const ranges = [
    { from: first, until: last + 3 },
    { from: first + third, until: first + 2 * third + 1 },
  ];
  const differences = await Promise.all(
    ranges.map(async (range) => {
      const changes = await readUsers(points, { loadTestId: LOAD_TEST_ID, range });
      for (let second = range.from; second < range.until; second++) {
        const got = changes.findLast((each) => each.second <= second)?.users ?? 0;
        const want = activeIn(second, users);
        if (got !== want) return [`${got} users at ${second}, expected ${want}`];
      }
      return [];
    }),
  );
  return differences.flat();
}

function activeIn(second: number, users: readonly IndependentUsers[]): number {
  const generators = Map.groupBy(users, ({ generator }) => generator);
  return [...generators.values()].reduce((sum, own) => sum + activeOf(second, own), 0);
}

/**
 * The last reported number, plus users who started up to this second and had not ended before it.
 */
function activeOf(second: number, own: readonly IndependentUsers[]): number {
  const now = BigInt(second);
  const [earlier, before] = [
    own.filter((row) => row.second <= now),
    own.filter((row) => row.second < now),
  ];
  const isOver = before.length === own.length;
  const newest = earlier.reduce((most, row) => (row.second > most ? row.second : most), 0n);
  const told = earlier.filter((row) => row.second === newest);
  const active = Math.max(0, ...told.map((row) => Number(row.active ?? 0n)));
  return (isOver ? 0 : active) + sumOf(earlier, "started") - sumOf(before, "ended");
}

function sumOf(rows: readonly IndependentUsers[], name: "started" | "ended"): number {
  return rows.reduce((total, row) => total + Number(row[name] ?? 0n), 0);
}
