import * as fc from "fast-check";
import { expect, test } from "vitest";
import { usersArbitrary, userTable } from "../../test/support/plain-details.ts";
import { type UserTable, mergeUsers } from "./active-users.ts";

test("merging equals looking at all users at once, however they were split", () => {
  fc.assert(
    fc.property(fc.array(usersArbitrary, { maxLength: 4 }), (split) => {
      const merged = mergeUsers(split.map((users) => userTable(users)));
      expect(merged).toEqual(userTable(split.flat()));
    }),
  );
});

test("merging is commutative and associative", () => {
  fc.assert(
    fc.property(usersArbitrary, usersArbitrary, usersArbitrary, (a, b, c) => {
      const [left, middle, right] = [userTable(a), userTable(b), userTable(c)];
      const all = mergeUsers([left, middle, right]);
      expect(mergeUsers([right, left, middle])).toEqual(all);
      expect(mergeUsers([left, mergeUsers([middle, right])])).toEqual(all);
      expect(mergeUsers([mergeUsers([left, middle]), right])).toEqual(all);
    }),
  );
});

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
