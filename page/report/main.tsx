import "../src/styles.ts";
import "./report.css";
import { render } from "preact";
import { Problem } from "../src/shell/problem.tsx";
import { applyTheme, followSystemTheme } from "../src/shell/theme.ts";
import { embeddedReport } from "./embedded-report.ts";
import { ReportView } from "./report-view.tsx";
import { followFragment } from "./use-fragment.ts";

applyTheme();
followSystemTheme();
followFragment();
const page = document.getElementById("page") as HTMLElement;
try {
  const { about, embeddedBytes, endpoints } = await embeddedReport();
  render(
    <ReportView about={about} endpoints={endpoints.length} embeddedBytes={embeddedBytes} />,
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
