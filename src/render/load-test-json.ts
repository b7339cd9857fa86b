import type { LoadTestSummary } from "../model/load-test.ts";
import type { KeyInfo } from "../model/access-key.ts";
import type { ImportReport } from "../model/import-report.ts";

/** Times are ISO 8601; absent values are `null`. */
export function loadTestJson(loadTest: LoadTestSummary): Record<string, unknown> {
  const { id, name, tags, pinned, createdAtMs, finishedAtMs, lastDataAtMs } = loadTest;
  const { endpoints, requests, failedRequests, from, until, formats } = loadTest;
  return {
    id,
    name,
    tags,
    pinned,
    createdAt: isoTime(createdAtMs),
    finishedAt: isoTime(finishedAtMs),
    lastDataAt: isoTime(lastDataAtMs),
    endpoints,
    requests,
    failedRequests,
    from: from ?? null,
    until: until ?? null,
    formats,
  };
}

/** Contains neither the key nor its digest. */
export function keyJson(key: KeyInfo): Readonly<Record<string, unknown>> {
  return {
    name: key.name,
    scopes: key.scopes,
    createdAt: isoTime(key.createdAtMs),
    lastUsedAt: isoTime(key.lastUsedAtMs),
    expiresAt: isoTime(key.expiresAtMs),
    revokedAt: isoTime(key.revokedAtMs),
  };
}

function isoTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/** Member names are part of the API; absent values are `null`. */
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
    cut: report.truncatedAt ?? null,
    alreadyImported: report.alreadyImported,
    notes: report.notes,
    seconds: report.seconds,
  };
}
