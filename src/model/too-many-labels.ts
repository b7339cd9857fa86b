import { UserError } from "./errors.ts";

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

const QUOTED_LENGTH = 100;
