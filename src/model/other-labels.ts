/**
 * The labels under which the requests of all those labels count that a load test has no room for.
 * There is one for each kind of rows, since what repeats other rows must not be counted with requests.
 */

import type { Role } from "./role.ts";

export const OTHER_LABEL = "(other)";

/** Rows that do not say what they are count as requests, as they do to the end elsewhere. */
const BY_ROLE: Readonly<Record<Role, string>> = {
  unclear: OTHER_LABEL,
  transaction: "(other transactions)",
  subresult: "(other sub-results)",
  request: OTHER_LABEL,
};

/** All of them. They never count against the limit of labels. */
export const OTHER_LABELS: readonly string[] = [...new Set(Object.values(BY_ROLE))];

/** The one for rows of this role. */
export function otherLabelFor(role: Role): string {
  return BY_ROLE[role];
}

export function isOtherLabel(label: string): boolean {
  return OTHER_LABELS.includes(label);
}
