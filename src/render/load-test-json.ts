import type { ReportJson } from "../api/imports.ts";
import type { KeyJson, LinkJson } from "../api/keys.ts";
import type { LoadTestJson, SourceJson } from "../api/load-tests.ts";
import { attributesJson } from "../model/load-test/attributes.ts";
import { ENVIRONMENT_FORMAT } from "../model/measures/environment.ts";
import { shortNames } from "../model/kept-file.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import type { KeyInfo, LinkInfo } from "../model/access-key.ts";
import type { ImportReport } from "../model/import-report.ts";
import { REPAIR_TEXTS } from "../model/quality/repairs.ts";

/** Times are ISO 8601; absent values are `null`. */
export function loadTestJson(loadTest: LoadTestSummary): LoadTestJson {
  const { id, createdAtMs, finishedAtMs, lastDataAtMs, secondsPerPoint } = loadTest;
  const { endpoints, requests, failedRequests, from, until, formats } = loadTest;
  return {
    id,
    ...attributesJson(loadTest),
    createdAt: isoTime(createdAtMs),
    finishedAt: isoTimeOrNull(finishedAtMs),
    lastDataAt: isoTimeOrNull(lastDataAtMs),
    endpoints,
    requests,
    failedRequests,
    from: from ?? null,
    until: until ?? null,
    secondsPerPoint,
    formats: formats.filter((format) => format !== ENVIRONMENT_FORMAT),
  };
}

/** Leaves out what only imports need, and folders. */
export function sourcesJson(sources: readonly SourceJson[]): readonly SourceJson[] {
  const names = shortNames(sources.map(({ name }) => name));
  return sources.map(({ name, format, sizeBytes, digest }, at) => {
    return { name: names[at] ?? name, format, sizeBytes, digest };
  });
}

/** Contains neither the key nor its digest. */
export function keyJson(key: KeyInfo): Omit<KeyJson, "current"> {
  const { name, scopes, project } = key;
  return { name, scopes, ...keyTimes(key), ...(project === undefined ? {} : { project }) };
}

/** Contains neither the key nor its digest. */
export function linkJson({ name, loadTestId, base, files, ...times }: LinkInfo): LinkJson {
  return { name, loadTestId, base: base ?? null, files, ...keyTimes(times) };
}

function keyTimes(times: Pick<KeyInfo, `${"created" | "lastUsed" | "expires" | "revoked"}AtMs`>) {
  return {
    createdAt: isoTime(times.createdAtMs),
    lastUsedAt: isoTimeOrNull(times.lastUsedAtMs),
    expiresAt: isoTimeOrNull(times.expiresAtMs),
    revokedAt: isoTimeOrNull(times.revokedAtMs),
  };
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

function isoTimeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : isoTime(atMs);
}

function originalOf({ original }: ImportReport): ReportJson["original"] {
  if (original === undefined) return null;
  const { id, sizeBytes, sha256 } = original;
  return { id, sizeBytes, sha256 };
}

/** Member names are part of the API; absent values are `null`. */
export function reportJson(report: ImportReport): ReportJson {
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
    repairs: report.repairs.map((repair) => ({ ...repair, message: REPAIR_TEXTS[repair.kind] })),
    truncatedAt: report.truncatedAt ?? null,
    alreadyImported: report.alreadyImported,
    original: originalOf(report),
    notes: report.notes,
    elapsedSeconds: report.seconds,
  };
}
