import { NO_FAILURES } from "../../model/failures.ts";
import { attributesOf } from "../../model/load-test/attributes.ts";
import { ALL_SECONDS } from "../../model/columns.ts";
import { NO_MEASURES } from "../../model/measures/measure-table.ts";
import { whereverFound, type SelectedPart } from "../../series/endpoint-selection.ts";
import { withSnapshot } from "../../series/open-snapshot.ts";
import { listSelected } from "../../series/selected-series.ts";
import type { Store } from "../../store/store.ts";
import { type GatherLimits, gatherSeries } from "./gather-points.ts";
import type { ReportReading } from "./read-report.ts";

/** Reads what draws the endpoints of a run over time, and nothing else of a report. Throws what `readReport` throws. */
export async function readCurves(
  { points }: Pick<Store, "points">,
  { loadTestId, selection: wanted }: Omit<SelectedPart, "range">,
  limits: GatherLimits,
): Promise<ReportReading> {
  const selection = whereverFound(wanted);
  return withSnapshot(points, { loadTestId, selection }, async (snapshot) => {
    const endpoints = await listSelected(snapshot, { selection, doing: "report" });
    const read = snapshot.read(endpoints, ALL_SECONDS, "distribution");
    const { grainSeconds, series, span } = await gatherSeries(read, limits);
    const { id, name, secondsPerPoint } = snapshot.loadTest;
    return {
      about: {
        id,
        ...attributesOf({ name }),
        secondsPerPoint,
        formats: [],
        sources: [],
        recorded: { sources: [], reported: [] },
        selection,
        range: undefined,
        ...span,
        grainSeconds,
        measures: { series: 0, grainSeconds, leftOut: 0 },
        findings: { incidents: [], quality: [] },
      },
      endpoints: series,
      failures: NO_FAILURES,
      users: [],
      measures: NO_MEASURES,
    };
  });
}
