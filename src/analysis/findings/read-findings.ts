import { ALL_SECONDS, withoutSecondZero } from "../../model/columns.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import type {
  BurstFinding,
  GeneratorFinding,
  OmissionFinding,
  StepFinding,
} from "../../api/findings.ts";
import { findBurst, describeBurst } from "./read-burst.ts";
import { openFindingsScope } from "./findings-scope.ts";
import { mergeAllSums } from "../../series/merge-all-series.ts";
import { withSnapshot, type Snapshots } from "../../series/open-snapshot.ts";
import { readGenerator } from "./read-generator.ts";
import { readOmission } from "./read-omission.ts";
import { readStep } from "./read-step.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { readSourceFacts, remarksOn } from "../../query/source-facts.ts";

/** Anomalies of a load test, over the merged selection (`overall.ts`). */
export interface Findings {
  readonly step: StepFinding | undefined;
  readonly burst: BurstFinding | undefined;
  readonly omission: OmissionFinding | undefined;
  readonly generator: GeneratorFinding | undefined;
  readonly quality: readonly QualityRemark[];
}

/** Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readFindings(points: Snapshots, query: SelectedPart): Promise<Findings> {
  return withSnapshot(points, query, async (snapshot) => {
    const scope = await openFindingsScope(snapshot, query.selection);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    const sums = await mergeAllSums(scope.overall.sums(range));
    const { remarks } = await readSourceFacts(snapshot);
    const [from, last] = [sums.second[0], sums.second.at(-1)];
    if (from === undefined || last === undefined) {
      return { ...NOTHING_FOUND, quality: remarksOn(remarks, ABOUT_STEPS) };
    }
    const span = { from, until: last + (sums.windowSeconds?.at(-1) ?? 1) };
    const step = await readStep(scope, span);
    const burst = findBurst(sums);
    const omission = await readOmission(scope, sums);
    const generator = await readGenerator(snapshot, span);
    const quality = remarksOn(
      remarks,
      burst === undefined ? ABOUT_STEPS : [...ABOUT_STEPS, "failures"],
    );
    return {
      step,
      burst: burst && (await describeBurst(scope, burst)),
      omission,
      generator,
      quality,
    };
  });
}

/** Finds only what the load generator omitted. Throws what `readFindings` throws. */
export async function findOmission(
  points: Snapshots,
  query: SelectedPart,
): Promise<OmissionFinding | undefined> {
  return withSnapshot(points, query, async (snapshot) => {
    const scope = await openFindingsScope(snapshot, query.selection);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    return readOmission(scope, await mergeAllSums(scope.overall.sums(range)));
  });
}

export const NOTHING_FOUND = {
  step: undefined,
  burst: undefined,
  omission: undefined,
  generator: undefined,
};

const ABOUT_STEPS = ["times", "windows"] as const;
