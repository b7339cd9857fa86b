import type { ReportQuery } from "../../analysis/report/read-report.ts";
import type { ReportOrigin } from "../../analysis/report/write-report.ts";
import { flagParameter, type Parameter } from "../request/parameters.ts";
import { type Route, textResponse } from "../route.ts";
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
      // Not cacheable: it contains the time of its creation.
      return textResponse(html, {
        contentType: "text/html; charset=utf-8",
        headers: {
          // The id of an existing load test needs no escaping.
          "Content-Disposition": `attachment; filename="${part.loadTestId}.html"`,
          "Content-Security-Policy": POLICY,
        },
      });
    },
  };
}
