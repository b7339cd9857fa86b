/**
 * Role of the rows under a label. `transaction`: sums of requests with own rows. `subresult`: parts of a request
 * with its own row. `unclear`: unknown. Weakest first: the strongest wins, in any order, so that rows count as
 * repeated only if all sources agree.
 */
export const ROLES = ["unclear", "transaction", "subresult", "request"] as const;

export type Role = (typeof ROLES)[number];

/** Roles of rows that repeat others; excluded from totals. */
export type DerivedRole = Extract<Role, "transaction" | "subresult">;

export function strongerRole(left: Role, right: Role): Role {
  return ROLES.indexOf(left) >= ROLES.indexOf(right) ? left : right;
}

/** `undefined` for requests and unclear rows. */
export function derivedRole(role: Role | undefined): DerivedRole | undefined {
  return role === "transaction" || role === "subresult" ? role : undefined;
}

export function strongerDerivedRole(
  left: DerivedRole | undefined,
  right: DerivedRole | undefined,
): DerivedRole | undefined {
  return derivedRole(strongerRole(left ?? "request", right ?? "request"));
}
