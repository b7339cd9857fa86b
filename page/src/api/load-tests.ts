import { type Answer, ask } from "./client.ts";
import { rememberNames } from "./known-names.ts";

/** See docs/api.md, "Load tests". */
export type LoadTestPage = Answer<"listLoadTests">;
export type LoadTest = LoadTestPage["loadTests"][number];
export type LoadTestDetail = Answer<"getLoadTest">;

export interface ListRequest {
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly after?: string | undefined;
}

export async function listLoadTests(
  request: ListRequest,
  signal: AbortSignal,
): Promise<LoadTestPage> {
  const page = await ask("listLoadTests", { ...request, limit: 100 }, { signal });
  rememberNames(page.loadTests);
  return page;
}

/** Most frequent tags first. */
export type TagCounts = Answer<"countTags">;

/** Number of load tests that match `search`. */
export function countTags(search: string | undefined, signal: AbortSignal): Promise<TagCounts> {
  return ask("countTags", { search }, { signal });
}

export async function showLoadTest(id: string, signal: AbortSignal): Promise<LoadTestDetail> {
  const loadTest = await ask("getLoadTest", { id }, { signal });
  rememberNames([loadTest]);
  return loadTest;
}

/** Whether requests arrived within the last seconds, so more are expected. */
export function isLive({ finishedAt, lastDataAt, until }: LoadTest, nowMs: number): boolean {
  if (finishedAt !== null || lastDataAt === null || until === null) return false;
  return nowMs - Math.min(Date.parse(lastDataAt), until * 1000) < LIVE_MS;
}

const LIVE_MS = 30_000;
