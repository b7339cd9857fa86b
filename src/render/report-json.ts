import type { ImportReport } from "../model/import-report.ts";

/** An import report as scripts read it: the names that they rely on, `null` for what is not there. */
export function reportJson(report: ImportReport): Record<string, unknown> {
  const { loadTestId, format, source, samples, endpoints, other, from, until } = report;
  const { requests, failedRequests, transactions, subresults } = report;
  return {
    loadTestId,
    format,
    source,
    samples,
    requests,
    failedRequests,
    transactions,
    subresults,
    endpoints,
    other: other === undefined ? null : { ...other, labels: other.labels ?? null },
    from: from ?? null,
    until: until ?? null,
    rejections: report.rejections,
    cut: report.cut ?? null,
    alreadyImported: report.alreadyImported,
    notes: report.notes,
    seconds: report.seconds,
  };
}
