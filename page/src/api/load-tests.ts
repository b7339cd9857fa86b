import { type Answer, ask, askFile, type Preferences } from "./client.ts";
import { rememberNames } from "./known-names.ts";

/** See docs/api.md, "Load tests". */
export type LoadTestPage = Answer<"listLoadTests">;
export type LoadTest = LoadTestPage["loadTests"][number];
export type LoadTestDetail = Answer<"getLoadTest">;

/** Members of a load test to change. */
export type LoadTestChanges = NonNullable<Preferences<"changeLoadTest">[0]>["body"];

export interface ListRequest {
  /** Ids, separated by commas; replaces all other members. */
  readonly runs?: string | undefined;
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly after?: string | undefined;
  /** Of load tests, at most 1,000. @default 100 */
  readonly limit?: number;
}

/** A text as one word of a search. */
export function quotedWord(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

export async function listLoadTests(
  request: ListRequest,
  signal: AbortSignal,
): Promise<LoadTestPage> {
  const page = await ask("listLoadTests", { limit: 100, ...request }, { signal });
  rememberNames(page.loadTests);
  return page;
}

/** All pages of the list. Throws `ApiError`. */
export async function listAll(request: ListRequest, signal: AbortSignal): Promise<LoadTestPage> {
  const loadTests: LoadTest[] = [];
  let page: LoadTestPage | undefined;
  do {
    page = await listLoadTests({ ...request, limit: 1000, after: page?.next ?? undefined }, signal);
    loadTests.push(...page.loadTests);
  } while (page.next !== null);
  return { ...page, loadTests };
}

/** All pages of the list as CSV. Throws `ApiError`. */
export function askListCsv(request: ListRequest): Promise<Blob> {
  return askFile("listLoadTests", request, { accept: "text/csv" });
}

/** Throws `ApiError`. */
export async function changeLoadTest(id: string, changes: LoadTestChanges): Promise<void> {
  await ask("changeLoadTest", { id }, { body: changes });
}

/** Deletes it with all its data. Throws `ApiError`. */
export async function deleteLoadTest(id: string): Promise<void> {
  await ask("deleteLoadTest", { id });
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

const LIVE_MS = 30_000;
/** How long the server keeps the stream of a load test open without new data. */
export const PAUSE_MS = 300_000;

/** Whether requests arrived within the last seconds, so more are expected. */
export function isLive(
  { finishedAt, lastDataAt, until }: LoadTest,
  nowMs: number,
  pauseMs = LIVE_MS,
): boolean {
  if (finishedAt !== null || lastDataAt === null || until === null) return false;
  return nowMs - Math.min(Date.parse(lastDataAt), until * 1000) < pauseMs;
}

/** Whether it has no requests, and the first may still come: measures may come before them. */
export function mayBegin({ finishedAt, lastDataAt, requests }: LoadTest, nowMs: number): boolean {
  if (finishedAt !== null || requests > 0) return false;
  return lastDataAt === null || nowMs - Date.parse(lastDataAt) < PAUSE_MS;
}
