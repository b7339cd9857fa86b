import type { Check } from "../api/summary.ts";
import type { MeasureTags } from "../model/measures/measure-table.ts";
import type { SecondRange } from "../model/second-range.ts";
import type { Snapshot } from "../store/snapshot.ts";
import { totalOf } from "./measure-figures.ts";

/** The measure of k6 that has a value per check, 1 or 0, and its tags. */
const MEASURE = "checks";

/**
 * Reads the checks of a load test in a range: one per name and group, whatever their other tags. The lowest share of passed ones comes first. Throws
 * `damaged-store`, `sum-too-large`.
 */
export async function readChecks(
  snapshot: Pick<Snapshot, "measureIndex" | "measures">,
  range: SecondRange,
): Promise<readonly Check[]> {
  const { series } = await snapshot.measureIndex();
  const own = series.filter(
    ({ name, kind, tags }) => name === MEASURE && kind === "rate" && valueOf(tags, "check") !== "",
  );
  const checks = new Map<string, Omit<Check, "rate">>();
  for await (const {
    series: [of],
    sums,
  } of snapshot.measures(own, range)) {
    if (of === undefined || sums.count.length === 0) continue;
    const { count, sum } = totalOf(sums, 0, sums.count.length);
    const [name, group] = [valueOf(of.tags, "check"), groupOf(of.tags)];
    const key = JSON.stringify([group, name]);
    const { passed = 0, failed = 0 } = checks.get(key) ?? {};
    checks.set(key, { name, group, passed: passed + sum, failed: failed + count - sum });
  }
  return [...checks]
    .map(([key, check]) => ({ key, ...check, rate: check.passed / (check.passed + check.failed) }))
    .toSorted((one, other) => one.rate - other.rate || (one.key < other.key ? -1 : 1))
    .map(({ key: _key, ...check }) => check);
}

function valueOf(tags: MeasureTags, name: string): string {
  return tags.find(([tag]) => tag === name)?.[1] ?? "";
}

/** k6 begins the path of each group with its separator. */
function groupOf(tags: MeasureTags): string {
  return valueOf(tags, "group").replace(/^::/, "");
}
