/**
 * Role of the rows under a label. `transaction`: sums of requests with own rows. `subresult`: parts of a request
 * with its own row. `unclear`: unknown. Weakest first: the strongest wins, in any order, so that rows count as
 * repeated only if all sources agree.
 */
export const ROLES = ["unclear", "transaction", "subresult", "request"] as const;

export type Role = (typeof ROLES)[number];

/** What can be made of rows on demand: they stay stored, so that they can be turned back, and count nowhere. */
const CHOICES = ["ignored", "measured"] as const;

export type Choice = (typeof CHOICES)[number];

/** With the role of the rows when they are turned back. */
type HiddenRole = `${Choice}-${Role}`;

export type StoredRole = HiddenRole | Role;

/** Weaker than all others: the rows count if any source does not hide them. */
const HIDDEN_ROLES = CHOICES.flatMap((choice) =>
  ROLES.map((role): HiddenRole => `${choice}-${role}`),
);

/** Weakest first. */
export const STORED_ROLES: readonly StoredRole[] = [...HIDDEN_ROLES, ...ROLES];

/** Roles of rows that repeat others; excluded from totals. */
export type DerivedRole = Extract<Role, "transaction" | "subresult">;

export function strongerRole<Given extends StoredRole>(left: Given, right: Given): Given {
  return STORED_ROLES.indexOf(left) >= STORED_ROLES.indexOf(right) ? left : right;
}

/** `undefined` for requests and unclear rows. */
export function derivedRole(role: StoredRole | undefined): DerivedRole | undefined {
  return role === "transaction" || role === "subresult" ? role : undefined;
}

export function strongerDerivedRole(
  left: DerivedRole | undefined,
  right: DerivedRole | undefined,
): DerivedRole | undefined {
  return derivedRole(strongerRole<Role>(left ?? "request", right ?? "request"));
}

export function isShown(role: StoredRole): role is Role {
  return choiceIn(role) === undefined;
}

/** What was made of the rows on demand; `undefined`: they count. */
export function choiceIn(role: StoredRole | undefined): Choice | undefined {
  return CHOICES.find((choice) => role?.startsWith(`${choice}-`));
}

/** The role with this choice instead of the one that it has. */
export function chosenRole(role: StoredRole, choice: Choice | undefined): StoredRole {
  const shown = ROLES.find((each) => role === each || role.endsWith(`-${each}`)) ?? "request";
  return choice === undefined ? shown : `${choice}-${shown}`;
}
