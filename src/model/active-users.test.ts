import { expect, test } from "vitest";
import { testMergeLaws } from "../../test/support/merge-laws.ts";
import { usersArbitrary, userTable } from "../../test/support/plain-details.ts";
import { type UserTable, mergeUsers } from "./active-users.ts";

testMergeLaws({ rows: usersArbitrary, tableOf: userTable, merge: mergeUsers });

test("within a generator, active users are not added up, but starts and ends are", () => {
  const { counts } = mergeUsers([tableOf(7, 2, 1), tableOf(5, 3, 4)]);
  expect([counts.active[0], counts.started[0], counts.ended[0]]).toEqual([7, 5, 5]);
});

test("a count beyond 2^53 - 1 is refused", () => {
  const large = tableOf(0, Number.MAX_SAFE_INTEGER, 0);
  expect(() => mergeUsers([large, tableOf(0, 1, 0)])).toThrow("2^53 - 1");
});

function tableOf(active: number, started: number, ended: number): UserTable {
  return userTable([{ generator: "", second: 9, active, started, ended }]);
}
