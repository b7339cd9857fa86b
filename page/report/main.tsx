import "../src/styles.ts";
import "./report.css";
import { render } from "preact";
import { Problem } from "../src/shell/problem.tsx";
import { followPrinting } from "../src/parts/printing.ts";
import { applyTheme, followSystemTheme } from "../src/shell/theme.ts";
import { embeddedReport } from "./embedded-report.ts";
import { ComparisonReport } from "./comparison-report.tsx";
import { ReportView } from "./report-view.tsx";
import { labelOfSeries } from "../../src/model/series/facets.ts";
import { changeParameters, followFragment } from "./use-fragment.ts";

applyTheme();
followSystemTheme();
followPrinting();
followFragment();
const page = document.getElementById("page") as HTMLElement;
try {
  const { about, embeddedBytes, endpoints, others } = await embeddedReport();
  const labels = endpoints.map(({ endpoint }) =>
    labelOfSeries(endpoint.splitSeries ?? endpoint.label),
  );
  // As it was made; a fragment says otherwise.
  const by = about.selection.facets?.by[0];
  const { comparison } = about;
  const skipped = comparison?.skipStartSeconds ?? 0;
  const made = { by, skipStart: skipped === 0 ? undefined : `${skipped}` };
  if (location.hash === "") changeParameters(made, "replace");
  const props = { about, endpoints: new Set(labels).size, embeddedBytes };
  render(
    comparison === undefined ? (
      <ReportView {...props} />
    ) : (
      <ComparisonReport
        {...{ about, comparison, embeddedBytes }}
        grains={[about, ...others.map((each) => each.about)].map((each) => each.grainSeconds)}
      />
    ),
    page,
  );
} catch (error) {
  render(
    <main>
      <Problem title="This report cannot be shown">
        <p>The file is damaged, or this browser cannot unpack gzip: {String(error)}</p>
      </Problem>
    </main>,
    page,
  );
}
