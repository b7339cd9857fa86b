import { ask } from "./client.ts";
import { rememberNames } from "./known-names.ts";

/** See docs/api.md, "Load tests". */
export interface LoadTest {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly lastDataAt: string | null;
  readonly endpoints: number;
  readonly requests: number;
  readonly failedRequests: number;
  /** First and last UNIX second with a request; `null` where no request tells when it was. */
  readonly from: number | null;
  readonly until: number | null;
  /** Names of formats. */
  readonly formats: readonly string[];
}

export interface LoadTestDetail extends LoadTest {
  readonly sources: readonly { readonly name: string; readonly format: string }[];
}

export interface LoadTestPage {
  readonly loadTests: readonly LoadTest[];
  /** Where the next page begins; `null` on the last one. */
  readonly next: string | null;
}

export interface ListWish {
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly after?: string | undefined;
}

export async function listLoadTests(wish: ListWish, signal: AbortSignal): Promise<LoadTestPage> {
  const page = await ask("listLoadTests", { ...wish, limit: 100 }, { signal });
  rememberNames(page.loadTests);
  return page;
}

/** See docs/api.md, "Load tests". */
export interface TagCounts {
  readonly loadTests: number;
  /** The most frequent first. */
  readonly tags: readonly { readonly tag: string; readonly loadTests: number }[];
}

/** Counts the load tests that `search` finds. */
export function countTags(search: string | undefined, signal: AbortSignal): Promise<TagCounts> {
  return ask("countTags", { search }, { signal });
}

export async function showLoadTest(id: string, signal: AbortSignal): Promise<LoadTestDetail> {
  const loadTest = await ask("getLoadTest", { id }, { signal });
  rememberNames([loadTest]);
  return loadTest;
}

/** Whether requests of the last seconds have come in just now, so that more are to be expected. */
export function isLive({ finishedAt, lastDataAt, until }: LoadTest, nowMs: number): boolean {
  if (finishedAt !== null || lastDataAt === null || until === null) return false;
  return nowMs - Math.min(Date.parse(lastDataAt), until * 1000) < LIVE_MS;
}

const LIVE_MS = 30_000;
