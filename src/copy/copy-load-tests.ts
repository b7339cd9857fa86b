/** Copying load tests from a store to another. */

import { UserError } from "../model/errors.ts";
import { type LoadTestSummary, unknownLoadTest } from "../model/load-test.ts";
import { mayBeRunning } from "../catalogue/prune-load-tests.ts";
import { type CopiedLoadTest, copyLoadTest, type CopyPlaces } from "./copy-load-test.ts";

/** What is to be copied. */
export interface CopyRequest {
  /** @default all load tests */
  readonly ids?: readonly string[] | undefined;
  /** Whether load tests are copied that may still get data: as they are now. */
  readonly evenRunning: boolean;
}

/** What became of one load test. */
export interface CopyOutcome {
  readonly loadTest: LoadTestSummary;
  readonly result: { readonly copied: CopiedLoadTest } | LeftOut;
}

/** Why a load test was not copied. */
interface LeftOut {
  /** As a sentence. */
  readonly leftOut: string;
  /** Whether it only has to end, or nothing helps but to do something about it. */
  readonly isRunning: boolean;
}

export interface CopyDependencies extends CopyPlaces {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A store that is in use can take away what a slow copy has not read yet. */
const ATTEMPTS = 3;

/**
 * Copies one load test after the other and tells of each; what concerns one alone does not hold up the
 * others. Throws `unknown-load-test` before anything is copied, and what concerns a whole store.
 */
export async function* copyLoadTests(
  { ids, evenRunning }: CopyRequest,
  dependencies: CopyDependencies,
): AsyncGenerator<CopyOutcome> {
  const { from, now } = dependencies;
  for (const loadTest of await listWanted(from, ids)) {
    const isRunning = !evenRunning && (await mayGetData(from, loadTest, now()));
    if (isRunning) yield { loadTest, result: { leftOut: RUNNING, isRunning } };
    else yield { loadTest, result: await resultOf(loadTest, dependencies) };
  }
}

const RUNNING =
  "it may still be running: it has live sources and data of the last hour, and nobody has finished it";

async function listWanted(
  { loadTests }: CopyPlaces["from"],
  ids: CopyRequest["ids"],
): Promise<readonly LoadTestSummary[]> {
  if (ids === undefined) return loadTests.list();
  const found: LoadTestSummary[] = [];
  for (const id of new Set(ids)) {
    const loadTest = await loadTests.find(id);
    if (loadTest === undefined) throw unknownLoadTest(id);
    found.push(loadTest);
  }
  return found;
}

/** Files that were imported do not grow. */
async function mayGetData(
  { points }: CopyPlaces["from"],
  loadTest: LoadTestSummary,
  nowMs: number,
): Promise<boolean> {
  return mayBeRunning(loadTest, nowMs) && (await points.liveSources(loadTest.id)).length > 0;
}

async function resultOf(
  loadTest: LoadTestSummary,
  places: CopyPlaces,
): Promise<CopyOutcome["result"]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { copied: await copyLoadTest(loadTest, places) };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.code === "busy" && attempt < ATTEMPTS) continue;
      if (error.kind === "unavailable") throw error;
      return { leftOut: error.message, isRunning: false };
    }
  }
}
