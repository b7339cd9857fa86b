/**
 * What the rows under a label are. `transaction`: sums of requests that have rows of their own.
 * `subresult`: parts of a request that has a row of its own. `unclear`: rows that do not say. The
 * weakest first: where sources, or parts of one, differ, the strongest counts, in whatever order
 * they come. So nothing is taken for the repetition of other rows unless all that tell of it agree.
 */
export const ROLES = ["unclear", "transaction", "subresult", "request"] as const;

export type Role = (typeof ROLES)[number];

/** The roles of rows that repeat what other rows hold: a whole is made without them. */
export type DerivedRole = Extract<Role, "transaction" | "subresult">;

export function strongerRole(left: Role, right: Role): Role {
  return ROLES.indexOf(left) >= ROLES.indexOf(right) ? left : right;
}

/** The role if it is a derived one: what is unclear to the end counts as requests. */
export function derivedRole(role: Role | undefined): DerivedRole | undefined {
  return role === "transaction" || role === "subresult" ? role : undefined;
}

/** The same for roles of which only the derived ones are told. */
export function strongerDerivedRole(
  left: DerivedRole | undefined,
  right: DerivedRole | undefined,
): DerivedRole | undefined {
  return derivedRole(strongerRole(left ?? "request", right ?? "request"));
}
