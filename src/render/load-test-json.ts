import type { LoadTestSummary } from "../model/load-test.ts";

/** A load test as people's scripts read it: times as ISO 8601, `null` for what is not there. */
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

function isoTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}
