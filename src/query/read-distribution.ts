import type { Figures } from "../api/summary.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import type { EndpointSelection } from "../series/endpoint-selection.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { openOverall } from "./read-overall.ts";
import { figuresOf } from "./figures.ts";
import type { QualityRemark } from "../api/parts.ts";
import { readSourceFacts, withMeasured } from "./source-facts.ts";
import { Yielder } from "../concurrency/yielder.ts";

export interface DistributionQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything, requests without a known instant included. */
  readonly range: SecondRange | undefined;
}

/** All that is selected as one (`overall.ts`). */
export interface Distribution {
  readonly figures: Figures;
  /** What the figures cannot tell. */
  readonly quality: readonly QualityRemark[];
  /** Response times that were seen, ascending; each stands for those within 0.79 % of it. */
  readonly micros: readonly number[];
  /** How many requests took each of them: together those whose own response time is recorded. */
  readonly requests: readonly number[];
}

/** Reads the distribution. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readDistribution(
  points: Snapshots,
  query: DistributionQuery,
): Promise<Distribution> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  try {
    const yielder = new Yielder();
    const overall = await openOverall(snapshot, query.selection);
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const sum = new DistributionSum();
    for await (const { columns } of overall.distributions(range)) {
      sum.add(columns);
      if (yielder.isDue()) await yielder.next();
    }
    const facts = await readSourceFacts(snapshot);
    const figures = figuresOf(sum, { hasSizes: facts.hasSizes });
    return { figures, quality: withMeasured(facts.remarks, figures), ...sum.valueCounts() };
  } finally {
    snapshot.release();
  }
}
