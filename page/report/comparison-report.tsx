import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import { CompareRunsView } from "../src/compare-runs/compare-runs-view.tsx";
import { bytes, count } from "../src/format/numbers.ts";
import { HoldingContext } from "../src/load-test/scope/holding.ts";
import { MadeAt, ReportTop } from "./report-head.tsx";

interface ComparisonReportProps {
  /** Of the base. */
  readonly about: WrittenAbout;
  readonly comparison: NonNullable<WrittenAbout["comparison"]>;
  /** See `EmbeddedReport`. */
  readonly embeddedBytes: number;
  /** Seconds of the windows of each run, each of which divides the longer ones. */
  readonly grains: readonly number[];
}

/** Several runs side by side in a report: the fragment selects statistic, filter and endpoint. */
export function ComparisonReport({
  about,
  comparison,
  embeddedBytes,
  grains,
}: ComparisonReportProps) {
  const grainSeconds = Math.max(...grains);
  const { endpoints, loadTests, leftOut } = comparison.compared;
  const size = bytes(embeddedBytes);
  const statements = [
    `${count(endpoints.length)} endpoints of ${count(loadTests.length)} runs, ${size.digits} ${size.unit} of data. The file loads nothing from the network.`,
    ...(leftOut.endpoints === 0
      ? []
      : [`${count(leftOut.endpoints)} further endpoints are left out.`]),
    `Curves have a value every ${grainSeconds} s or more.`,
    "The runs as they were when the report was made, compared with the first one.",
  ];
  const holding = {
    grainSeconds,
    measureSeconds: grainSeconds,
    wholeName: "Full run",
    hasOutcomes: false,
    isPart: false,
  };
  return (
    <HoldingContext.Provider value={holding}>
      <ReportTop />
      <CompareRunsView>
        <section class="report-foot" aria-labelledby="contents">
          <h2 id="contents">Contents of this file</h2>
          <ul>
            <li>
              <MadeAt about={about} zone="local" />
            </li>
            {statements.map((statement) => (
              <li key={statement}>{statement}</li>
            ))}
          </ul>
        </section>
      </CompareRunsView>
    </HoldingContext.Provider>
  );
}
