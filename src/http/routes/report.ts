import type { ReportQuery } from "../../analysis/report/read-report.ts";
import type { SeveralQuery } from "../../analysis/compare/compare-several.ts";
import type { ReportOrigin } from "../../analysis/report/write-report.ts";
import { flagParameter, type Parameter } from "../request/parameters.ts";
import { type Route, textResponse } from "../route.ts";
import { SEVERAL_RUNS, severalOf } from "./compare.ts";
import { checkSelection, SELECTED_ROUTE, selectedBy, SELECTION } from "../request/selection.ts";

const ADDRESS: Parameter = {
  name: "address",
  description: "URL of the load test, shown in the report.",
  schema: { type: "string", minLength: 1, pattern: String.raw`^https?://[!-~]{1,2000}$` },
  form: "a URL that begins with http:// or https://",
  example: "https://results.example.org/t/7530493087449088000",
};

const SAMPLES = flagParameter(
  "samples",
  "Whether the report has requests kept whole, with headers and bodies.",
);

/** If a browser shows it anyway: in an opaque origin, without scripts. */
const POLICY = "sandbox; default-src 'none'";

export function createReportRoute(
  writeReport: (request: ReportQuery & Pick<ReportOrigin, "address">) => Promise<string>,
): Route {
  return {
    method: "GET",
    path: "/Api/LoadTests/{id}/Report",
    operationId: "getReport",
    summary: "Self-contained HTML report of a load test",
    description:
      "Returns a self-contained HTML document with statistics, charts and tables of the selection. " +
      "Save it to open it: its scripts do not run when it is served from here.",
    scope: "read",
    parameters: [...SELECTION, ADDRESS, SAMPLES],
    check: checkSelection,
    readsSeconds: true,
    mediaType: "text/html",
    schema: { type: "string" },
    errors: [...SELECTED_ROUTE.errors, "report-not-built"],
    async handle(values) {
      const part = selectedBy(values);
      const html = await writeReport({
        ...part,
        address: values.get("address"),
        hasSamples: values.get("samples") === "true",
      });
      // The id of an existing load test needs no escaping.
      return downloadOf(html, `${part.loadTestId}.html`);
    },
  };
}

export function createComparisonReportRoute(
  writeReport: (query: SeveralQuery, address: string | undefined) => Promise<string>,
): Route {
  return {
    method: "GET",
    path: "/Api/Compare/Report",
    operationId: "getComparisonReport",
    summary: "Self-contained HTML report of several load tests",
    description: "Returns what `GET /Api/Compare` answers as an HTML document, with curves.",
    scope: "read",
    ...SEVERAL_RUNS,
    parameters: [...SEVERAL_RUNS.parameters, ADDRESS],
    mediaType: "text/html",
    schema: { type: "string" },
    errors: [...SELECTED_ROUTE.errors, "report-not-built"],
    async handle(values) {
      return downloadOf(
        await writeReport(severalOf(values), values.get("address")),
        "comparison.html",
      );
    },
  };
}

/** Not cacheable: it contains the time of its creation. */
function downloadOf(html: string, fileName: string) {
  return textResponse(html, {
    contentType: "text/html; charset=utf-8",
    headers: {
      "Content-Disposition": `attachment; filename="${fileName}"`,
      "Content-Security-Policy": POLICY,
    },
  });
}
