import type { VerdictJson } from "../../api/thresholds.ts";
import { findBaseline } from "../../catalogue/baseline.ts";
import { requireLoadTest } from "../../model/load-test.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Store } from "../../store/store.ts";
import { type CheckedLimit, failsCheck } from "../check/limit.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import { openStoreReader } from "../load-test-reader.ts";
import { LOAD_TESTS_DEFAULT } from "../trend/trend-series.ts";
import { checkThresholds } from "./check-thresholds.ts";
import { limitsOf, openThresholdsByName } from "./stored-thresholds.ts";

/**
 * Checks a load test against the thresholds kept for its name: growth against the pinned baseline, changes
 * within the runs of the name. Throws `unknown-load-test`, `bad-parameter`, and what `checkThresholds` throws.
 */
export async function readVerdict(
  store: Pick<Store, "loadTests" | "points" | "thresholds">,
  loadTestId: string,
  now: () => number,
): Promise<VerdictJson> {
  const { name } = requireLoadTest(await store.loadTests.find(loadTestId), loadTestId);
  const kept = await openThresholdsByName(store.thresholds, now).find(name);
  const limits = limitsOf(kept, name, now());
  if (limits.length === 0) return { name, against: null, fails: false, thresholds: [] };
  const baseline = await findBaseline(store.loadTests, name);
  const against = baseline === undefined || baseline.id === loadTestId ? undefined : baseline.id;
  const checked = await checkThresholds(openStoreReader(store), {
    later: wholeOf(loadTestId),
    base: against === undefined ? undefined : wholeOf(against),
    history: { name, last: LOAD_TESTS_DEFAULT },
    limits,
  });
  const thresholds = checked.map(verdictOf);
  const fails = thresholds.some((each) => each.fails);
  return { name, against: against ?? null, fails, thresholds };
}

function wholeOf(loadTestId: string): ComparedPart {
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  return { loadTestId, selection: ALL_ENDPOINTS, ...whole };
}

function verdictOf(checked: CheckedLimit): VerdictJson["thresholds"][number] {
  const { limit, outcome, measured, comparison } = checked;
  const { text, about, figure, unit, policy } = limit;
  return {
    failIf: text,
    about,
    figure,
    unit,
    outcome,
    fails: failsCheck(checked),
    measured,
    base: comparison?.base,
    value: comparison?.value,
    ...policy,
  };
}
