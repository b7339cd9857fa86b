import * as fc from "fast-check";
import { expect, test } from "vitest";
import { derivedRole, type Role, ROLES, strongerRole } from "./role.ts";

const ROLE = fc.constantFrom(...ROLES);

test("merging roles is commutative, associative and idempotent", () => {
  fc.assert(
    fc.property(ROLE, ROLE, ROLE, (left, middle, right) => {
      expect(strongerRole(left, right)).toBe(strongerRole(right, left));
      expect(strongerRole(left, left)).toBe(left);
      expect(strongerRole(left, strongerRole(middle, right))).toBe(
        strongerRole(strongerRole(left, middle), right),
      );
    }),
  );
});

test.each<[Role, Role, Role]>([
  ["transaction", "request", "request"],
  ["subresult", "request", "request"],
  ["unclear", "request", "request"],
  ["transaction", "subresult", "subresult"],
  ["unclear", "transaction", "transaction"],
])("%s and %s are %s", (left, right, role) => {
  expect(strongerRole(left, right)).toBe(role);
});

test("roles that stay unclear count as requests", () => {
  expect(ROLES.map(derivedRole)).toEqual([undefined, "transaction", "subresult", undefined]);
});
