import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import { DistributionSum } from "./distribution-sum.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";
import { openWhole } from "./read-whole.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { TimeSlice } from "./time-slice.ts";

export interface DistributionQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything, requests without a known instant included. */
  readonly range: SecondRange | undefined;
}

/** All that is selected as one (`whole.ts`). */
export interface Distribution {
  readonly figures: Figures;
  /** Response times that were seen, ascending; each stands for those within 0.79 % of it. */
  readonly micros: readonly number[];
  /** How many requests took each of them; they add up to `figures.count`. */
  readonly requests: readonly number[];
}

/** Reads the distribution. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readDistribution(
  points: Snapshots,
  query: DistributionQuery,
): Promise<Distribution> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  try {
    const slice = new TimeSlice();
    const whole = await openWhole(snapshot, query.selection, slice);
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const sum = new DistributionSum();
    for await (const { columns } of whole.distributions(range)) {
      sum.add(columns);
      if (slice.isOver()) await slice.next();
    }
    return { figures: figuresOf(sum, undefined), ...sum.valueCounts() };
  } finally {
    snapshot.release();
  }
}
