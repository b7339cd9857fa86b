import { UserError } from "./errors.ts";

/** Labels that a load test has no room for; nothing of the batch that brought them is stored. */
export class TooManyLabels extends UserError {
  /** Those that are too many; without them there would be room for the others. */
  readonly labels: readonly string[];

  constructor(loadTestId: string, labels: readonly string[], labelsMax: number) {
    const [first = "", ...others] = labels;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    super(
      "too-many-labels",
      `cannot take label ${JSON.stringify(first.slice(0, QUOTED_LENGTH))}${more} into load test ` +
        `"${loadTestId}": it may have ${labelsMax} labels (setting labelsMax, --labels-max)`,
    );
    this.labels = labels;
  }
}

const QUOTED_LENGTH = 100;
