/**
 * The labels under which the requests of all those labels count that a load test has no room for.
 * There is one for each kind of rows, since what repeats other rows must not be counted with requests.
 */

import { UserError } from "./errors.ts";
import type { Role } from "./role.ts";

const QUOTED_LENGTH = 100;

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

/** Labels that a load test has no room for; nothing of the batch that brought them is stored. */
export class TooManyLabels extends UserError {
  /** Those that are too many; without them there would be room for the others. */
  readonly labels: readonly string[];
  /** How many labels the load test may have. */
  readonly labelsMax: number;

  constructor(labels: readonly string[], labelsMax: number, message: string) {
    super("too-many-labels", message);
    this.labels = labels;
    this.labelsMax = labelsMax;
  }
}

export function tooManyLabels(
  loadTestId: string,
  labels: readonly string[],
  labelsMax: number,
): TooManyLabels {
  const [first = "", ...others] = labels;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const message =
    `cannot take label ${JSON.stringify(first.slice(0, QUOTED_LENGTH))}${more} into load test ` +
    `"${loadTestId}": it may have ${labelsMax} labels (setting labelsMax, --labels-max)`;
  return new TooManyLabels(labels, labelsMax, message);
}
