/** Drops in throughput while users remain active. */

import type { DropFinding } from "../../api/findings.ts";
import { ALL_SECONDS, lowerBound, type SecondRange, sumOf } from "../../model/columns.ts";
import type { SumColumns } from "../../model/data-points.ts";
import { usersOf, type UserPoint } from "../../query/read-users.ts";
import type { Snapshot } from "../../store/snapshot.ts";
import { BEFORE_SECONDS, findLulls } from "./find-stalls.ts";

const SECONDS_MIN = 10;

/** Of the users in the minute before. */
const USERS_SHARE_MIN = 0.8;
const USERS_MIN = 2;

const FOUND_MAX = 5;

/** `sums` are those of all requests, by second; of longer windows nothing is known. Throws `damaged-store`, `sum-too-large`. */
export async function readDrops(
  snapshot: Snapshot,
  sums: SumColumns,
): Promise<readonly DropFinding[]> {
  if (sums.windowSeconds?.some((seconds) => seconds > 1)) return [];
  const lulls: SecondRange[] = [];
  for await (const { from, until } of findLulls(sums)) {
    const isLong = until - from >= SECONDS_MIN;
    if (isLong && (await areUsersKnown(snapshot, { from, until }))) lulls.push({ from, until });
  }
  if (lulls.length === 0) return [];
  const users = await usersOf(snapshot, ALL_SECONDS);
  const rateIn = ({ from, until }: SecondRange): number =>
    sumOf(sums.requests, lowerBound(sums.second, from), lowerBound(sums.second, until)) /
    (until - from);
  const found = lulls.flatMap(({ from, until }): DropFinding[] => {
    const before = { from: Math.max(sums.second[0] ?? 0, from - BEFORE_SECONDS), until: from };
    const [usual, least] = [leastUsers(users, before), leastUsers(users, { from, until })];
    if (least < Math.max(USERS_MIN, USERS_SHARE_MIN * usual)) return [];
    const [reqPerSecBefore, reqPerSec] = [rateIn(before), rateIn({ from, until })];
    return [{ kind: "drop", from, until: until - 1, reqPerSecBefore, reqPerSec, users: least }];
  });
  return found.toSorted((left, right) => missingIn(right) - missingIn(left)).slice(0, FOUND_MAX);
}

function missingIn({ from, until, reqPerSecBefore, reqPerSec }: DropFinding): number {
  return (until - from) * (reqPerSecBefore - reqPerSec);
}

/** Whether a load generator reported users meanwhile, not only before and after. */
async function areUsersKnown(snapshot: Snapshot, range: SecondRange): Promise<boolean> {
  for await (const { second } of snapshot.users(range)) {
    if (second.some((at) => at > range.from && at < range.until)) return true;
  }
  return false;
}

/** At any second of the range; 0 if unknown. */
function leastUsers(users: readonly UserPoint[], { from, until }: SecondRange): number {
  const earlier = users.findLast(({ second }) => second <= from);
  const within = users.filter(({ second }) => second > from && second < until);
  return within.reduce((least, each) => Math.min(least, each.users), earlier?.users ?? 0);
}
