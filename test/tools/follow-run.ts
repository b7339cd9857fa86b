import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { type Imported, LOAD_TEST_ID, readBack } from "../samples/import-and-read.ts";
import { type RunningTachograph, startTachograph } from "../support/run-tachograph.ts";
import type { LoadTool, RecordedFile, ToolRun } from "./tool.ts";

/** What was stored while a tool ran. */
export interface FollowedRun extends Pick<Imported, "endpoints" | "users"> {
  /** Polls of the store, one per second, that found more requests than the previous one. */
  readonly looksWithMore: number;
  /** Polls of the file that found it larger. Some tools write seldom: Gatling 8 KB at a time. */
  readonly looksWithGrowth: number;
  /** Requests stored when the tool ended, before the follower was stopped. */
  readonly requestsAtEnd: number;
}

interface RunFollower {
  /** Call it when the tool has ended. Throws if following failed. */
  finish(): Promise<FollowedRun>;
}

const LOOK_MS = 1000;
const POLL_MS = 50;
/** Written data is stored after two seconds; one more is allowed on a busy machine. */
const STORED_MS = 3000;

/**
 * Runs a tool and follows its growing file with `tachograph import --follow` in a separate process.
 * `followed` is `undefined` if the tool has no such file.
 */
export async function recordFollowed(
  tool: LoadTool,
  run: ToolRun,
): Promise<{
  readonly files: readonly RecordedFile[];
  readonly followed: FollowedRun | undefined;
}> {
  const follower = followRun(tool, run);
  try {
    const files = await tool.record(run);
    return { files, followed: await follower?.finish() };
  } catch (error) {
    await follower?.finish().catch(() => undefined);
    throw error;
  }
}

function followRun(tool: LoadTool, run: ToolRun): RunFollower | undefined {
  const { growingFile } = tool;
  if (growingFile === undefined) return undefined;
  const directory = path.join(run.workFolder, "followed");
  mkdirSync(directory);
  const toolEnd = new AbortController();
  const following = startWhenThere(() => growingFile(run), directory, toolEnd.signal);
  const looking = countLooks(() => growingFile(run), directory, toolEnd.signal);
  return {
    async finish() {
      await delay(STORED_MS);
      toolEnd.abort();
      const looks = await looking;
      const follower = await following;
      if (follower === undefined) throw new Error("the tool has written no file to follow");
      follower.process.kill("SIGINT");
      const { exitCode, error } = await follower.outcome;
      if (exitCode !== 0) throw new Error(`following ended with ${exitCode}: ${error}`);
      return { ...(await readStore(directory)), ...looks };
    },
  };
}

async function startWhenThere(
  find: () => string | undefined,
  directory: string,
  toolEnd: AbortSignal,
): Promise<RunningTachograph | undefined> {
  for (;;) {
    const file = find();
    if (file !== undefined) {
      const where = ["--data", directory, "--id", LOAD_TEST_ID, "--still-seconds", "600"];
      return startTachograph(["import", "--follow", ...where, file]);
    }
    if (toolEnd.aborted) return undefined;
    await delay(POLL_MS);
  }
}

async function countLooks(
  find: () => string | undefined,
  directory: string,
  toolEnd: AbortSignal,
): Promise<Omit<FollowedRun, "endpoints" | "users">> {
  const store = await openStore(directory);
  let looksWithMore = 0;
  let looksWithGrowth = 0;
  let requests = 0;
  let bytes = 0;
  for (let isLast = false; !isLast;) {
    isLast = toolEnd.aborted;
    const [loadTest] = await store.loadTests.list();
    const seen = loadTest?.requests ?? 0;
    if (seen > requests) looksWithMore += 1;
    requests = seen;
    const file = find();
    const size = file === undefined ? 0 : statSync(file).size;
    if (size > bytes) looksWithGrowth += 1;
    bytes = size;
    if (!isLast) await delay(LOOK_MS, undefined, { signal: toolEnd }).catch(() => undefined);
  }
  await store.close();
  return { looksWithMore, looksWithGrowth, requestsAtEnd: requests };
}

async function readStore(directory: string): Promise<Pick<Imported, "endpoints" | "users">> {
  const store = await openStore(directory);
  try {
    return await readBack(store.points);
  } finally {
    await store.close();
  }
}

function openStore(directory: string): ReturnType<typeof openSqliteStore> {
  return openSqliteStore(path.join(directory, "tachograph.sqlite"), { now: () => Date.now() });
}
