import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";
import { findBurst } from "./find-burst.ts";
import { openFindingsScope } from "./findings-scope.ts";
import { mergeAllSums } from "./merge-all-series.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";
import { type BurstFinding, describeBurst } from "./read-burst.ts";
import { readStep, type StepFinding } from "./read-step.ts";
import { TimeSlice } from "./time-slice.ts";

export interface FindingsQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything with a known instant. */
  readonly range: SecondRange | undefined;
}

/** What stands out in a load test, all that is selected taken as one (`whole.ts`). */
export interface Findings {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly step: StepFinding | undefined;
  readonly burst: BurstFinding | undefined;
}

/** Finds what stands out. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readFindings(points: Snapshots, query: FindingsQuery): Promise<Findings> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  try {
    const slice = new TimeSlice();
    const scope = await openFindingsScope(snapshot, query.selection, slice);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    const sums = await mergeAllSums(scope.whole.sums(range), slice);
    const { revision } = snapshot;
    const [from, last] = [sums.second[0], sums.second.at(-1)];
    if (from === undefined || last === undefined)
      return { revision, step: undefined, burst: undefined };
    const step = await readStep(scope, { from, until: last + (sums.windowSeconds?.at(-1) ?? 1) });
    const burst = findBurst(sums);
    return { revision, step, burst: burst && (await describeBurst(scope, burst)) };
  } finally {
    snapshot.release();
  }
}
