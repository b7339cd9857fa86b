import { ask } from "./client.ts";

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
  readonly from?: number;
  readonly until?: number;
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

export function listLoadTests(wish: ListWish, signal: AbortSignal): Promise<LoadTestPage> {
  return ask("/Api/LoadTests", { query: { ...wish, limit: 100 }, signal });
}

export function showLoadTest(id: string, signal: AbortSignal): Promise<LoadTestDetail> {
  return ask(`/Api/LoadTests/${encodeURIComponent(id)}`, { signal });
}

/** Whether requests of the last seconds have come in just now, so that more are to be expected. */
export function isLive({ finishedAt, lastDataAt, until }: LoadTest, nowMs: number): boolean {
  if (finishedAt !== null || lastDataAt === null || until === undefined) return false;
  return nowMs - Math.min(Date.parse(lastDataAt), until * 1000) < LIVE_MS;
}

const LIVE_MS = 30_000;
