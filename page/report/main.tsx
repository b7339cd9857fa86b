import "../src/styles.ts";
import "./report.css";
import { render } from "preact";
import { Problem } from "../src/shell/problem.tsx";
import { followPrinting } from "../src/parts/printing.ts";
import { applyTheme, followSystemTheme } from "../src/shell/theme.ts";
import { embeddedReport } from "./embedded-report.ts";
import { ReportView } from "./report-view.tsx";
import { labelOfSeries } from "../../src/model/series/facets.ts";
import { changeParameters, followFragment } from "./use-fragment.ts";

applyTheme();
followSystemTheme();
followPrinting();
followFragment();
const page = document.getElementById("page") as HTMLElement;
try {
  const { about, embeddedBytes, endpoints } = await embeddedReport();
  const labels = endpoints.map(({ endpoint }) =>
    labelOfSeries(endpoint.splitSeries ?? endpoint.label),
  );
  // As it was made; a fragment says otherwise.
  const by = about.selection.facets?.by[0];
  if (by !== undefined && location.hash === "") changeParameters({ by }, "replace");
  render(
    <ReportView about={about} endpoints={new Set(labels).size} embeddedBytes={embeddedBytes} />,
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
