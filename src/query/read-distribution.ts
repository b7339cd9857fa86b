import type { Outcome } from "../model/outcomes.ts";
import type { Figures } from "../api/summary.ts";
import { ALL_SECONDS, withoutSecondZero } from "../model/second-range.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import type { SelectedPart } from "../series/endpoint-selection.ts";
import { withSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import { openOverall } from "./read-overall.ts";
import { figuresOf } from "./figures.ts";
import type { QualityRemark } from "../api/parts.ts";
import { readSourceFacts, withMeasured } from "./source-facts.ts";
import { paced } from "../concurrency/yielder.ts";

export interface DistributionQuery extends SelectedPart {
  /** Which requests count. @default all */
  readonly outcome?: Outcome | undefined;
}

/** Overall distribution of the selection (`overall.ts`). */
export interface Distribution {
  readonly figures: Figures;
  readonly quality: readonly QualityRemark[];
  /** Observed response times, ascending; each represents those within 0.1 %. */
  readonly micros: readonly number[];
  /** Number of requests of each, in total those with an own response time. */
  readonly requests: readonly number[];
}

/** Reads the distribution. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readDistribution(
  points: Snapshots,
  query: DistributionQuery,
): Promise<Distribution> {
  return withSnapshot(points, query, async (snapshot) => {
    const overall = await openOverall(snapshot, query.selection);
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const sum = new DistributionSum();
    for await (const { columns } of paced(overall.distributions(range))) sum.add(columns);
    const facts = await readSourceFacts(snapshot);
    const figures = figuresOf(sum, { hasSizes: facts.hasSizes });
    return { figures, quality: withMeasured(facts.remarks, figures), ...sum.valueCounts() };
  });
}
