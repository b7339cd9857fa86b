import type { MeasureTrend, Trend } from "../../api/trend.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { worseDirection } from "../../model/measures/worse-direction.ts";
import type { Points } from "../../store/store.ts";
import { findChanges, type FoundChange } from "./find-changes.ts";
import { FIGURE_OF, type MeasurePart, type MeasureRow, readMeasureRows } from "./measure-runs.ts";
import { comparableValues } from "./trend-figures.ts";

type MeasureChange = MeasureTrend["changes"][number];

/** Reads measures over runs and finds changes of their statistics; `shown` are the same runs. Throws what `readMeasureRows` throws. */
export async function readMeasureTrend(
  points: Pick<Points, "snapshot" | "figures">,
  loadTests: readonly LoadTestSummary[],
  shown: Trend["loadTests"],
  part: MeasurePart,
): Promise<readonly MeasureTrend[]> {
  const rows = [...(await readMeasureRows(points, loadTests, part)).values()];
  const found = await findChanges(rows.map(({ values }) => comparableValues(values, shown)));
  return rows.map((row, index) => trendOf(row, found[index] ?? [], loadTests));
}

function trendOf(
  { about, values }: MeasureRow,
  found: readonly FoundChange[],
  loadTests: readonly LoadTestSummary[],
): MeasureTrend {
  const { name, unit, kind, tags, endpoint } = about;
  const statistics = FIGURE_OF[kind];
  const lists = statistics.map(([statistic, figure]) => [statistic, values[figure]]);
  const changes = statistics.flatMap(([statistic, figure]) =>
    found
      .filter((each) => each.figure === figure)
      .map(({ at, before, after, chance, loadTestsBefore, loadTestsAfter }): MeasureChange => {
        const change = kind === "rate" ? after - before : ratioOf(before, after);
        return {
          loadTestId: (loadTests[at] as LoadTestSummary).id,
          statistic,
          loadTestsBefore,
          loadTestsAfter,
          before,
          after,
          chance,
          verdict: verdictOf(about, after > before),
          ...(change === undefined ? {} : { change }),
        };
      }),
  );
  const ids = loadTests.map(({ id }) => id);
  return {
    name,
    unit,
    kind,
    tags,
    ...(endpoint && { endpoint }),
    count: values.count,
    ...Object.fromEntries(lists),
    changes: changes.toSorted(
      (one, other) => ids.indexOf(other.loadTestId) - ids.indexOf(one.loadTestId),
    ),
  };
}

function ratioOf(before: number, after: number): number | undefined {
  return before > 0 ? after / before - 1 : undefined;
}

function verdictOf(about: MeasureRow["about"], isHigher: boolean): MeasureChange["verdict"] {
  const worse = worseDirection(about);
  if (worse === "either") return "changed";
  return (worse === "higher") === isHigher ? "worse" : "better";
}
