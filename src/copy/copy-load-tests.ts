import { UserError } from "../model/errors.ts";
import { type LoadTestSummary, requireLoadTest } from "../model/load-test.ts";
import { mayBeRunning } from "../catalogue/prune-load-tests.ts";
import { type CopiedLoadTest, copyLoadTest, type CopyStores } from "./copy-load-test.ts";
import type { AccessKey } from "../model/access-key.ts";
import type { Keys, Store, StoreScope } from "../store/store.ts";

export interface CopyRequest {
  /** @default all load tests */
  readonly ids?: readonly string[] | undefined;
  /** Whether load tests that may still receive data are copied as they are. */
  readonly evenRunning: boolean;
}

export interface CopyOutcome {
  readonly scope: StoreScope;
  readonly loadTest: LoadTestSummary;
  readonly result: { readonly copied: CopiedLoadTest } | LeftOut;
}

interface LeftOut {
  readonly leftOut: string;
  /** Whether it only has to finish. */
  readonly isRunning: boolean;
}

interface CopiedStore extends Pick<Store, "scopes"> {
  within(scope: StoreScope): CopyStores["from"];
}

export interface CopyDependencies extends CopyStores {
  readonly from: CopyStores["from"] & CopiedStore;
  readonly to: CopyStores["to"] & { within(scope: StoreScope): CopyStores["to"] };
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A store in use can delete data that a slow copy has not read yet. */
const ATTEMPTS = 3;

/**
 * Copies load tests of all projects, and hours of environments, one after the other and yields each outcome; a failure of one does not stop the others.
 * Throws `unknown-load-test` before copying, and errors of a whole store.
 */
export async function* copyLoadTests(
  { ids, evenRunning }: CopyRequest,
  dependencies: CopyDependencies,
): AsyncGenerator<CopyOutcome> {
  const { from, to, now } = dependencies;
  for (const { scope, loadTest } of await listWanted(from, ids)) {
    const stores = { ...dependencies, from: from.within(scope), to: to.within(scope) };
    const isRunning = !evenRunning && (await mayGetData(stores.from, loadTest, now()));
    const result = isRunning ? { leftOut: RUNNING, isRunning } : await resultOf(loadTest, stores);
    yield { scope, loadTest, result };
  }
}

const RUNNING =
  "it may still be running: it has live sources and data of the last hour, and it is not marked as finished";

async function listWanted(
  from: CopiedStore,
  ids: CopyRequest["ids"],
): Promise<readonly Omit<CopyOutcome, "result">[]> {
  const all: Omit<CopyOutcome, "result">[] = [];
  for (const scope of await from.scopes()) {
    const found = await from.within(scope).loadTests.list();
    all.push(...found.map((loadTest) => ({ scope, loadTest })));
  }
  if (ids === undefined) return all;
  const wanted = all.filter(
    ({ scope, loadTest: { id } }) => scope.environment === undefined && ids.includes(id),
  );
  for (const id of ids)
    requireLoadTest(
      wanted.find((each) => each.loadTest.id === id),
      id,
    );
  return wanted;
}

/** Imported files do not grow. */
async function mayGetData(
  { points }: CopyStores["from"],
  loadTest: LoadTestSummary,
  nowMs: number,
): Promise<boolean> {
  return mayBeRunning(loadTest, nowMs) && (await points.liveSources(loadTest.id)).length > 0;
}

async function resultOf(
  loadTest: LoadTestSummary,
  stores: CopyStores,
): Promise<CopyOutcome["result"]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { copied: await copyLoadTest(loadTest, stores) };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.code === "busy" && attempt < ATTEMPTS) continue;
      if (error.kind === "unavailable") throw error;
      return { leftOut: error.message, isRunning: false };
    }
  }
}

export interface CopiedKeys {
  readonly keys: number;
  /** Why some keys were not copied, as sentences. */
  readonly differences: readonly string[];
}

/** Copies all keys with their digests, so that they work in the target; existing ones are updated. */
export async function copyKeys(from: Keys, to: Keys): Promise<CopiedKeys> {
  const originals = await from.list();
  for (const key of originals) await copyKey(key, to);
  const copies = new Map((await to.list()).map((key) => [key.name, key]));
  const differences = originals.flatMap((key) => differencesOf(key, copies.get(key.name)));
  return { keys: originals.length - differences.length, differences };
}

async function copyKey(key: AccessKey, to: Keys): Promise<void> {
  const { lastUsedAtMs, revokedAtMs, ...added } = key;
  try {
    await to.add(added);
  } catch (error) {
    if (!(error instanceof UserError && error.code === "key-name-taken")) throw error;
    // Another key of this name is left alone and reported as a difference.
    if ((await to.find(key.digest))?.name !== key.name) return;
  }
  if (lastUsedAtMs !== undefined) await to.touch(key.digest, lastUsedAtMs);
  if (revokedAtMs !== undefined) await to.revoke(key.name, revokedAtMs);
}

function openedBy({ loadTestIds, loadTestTimesMs, opensFiles = false }: AccessKey): string {
  return JSON.stringify([loadTestIds, loadTestTimesMs, opensFiles]);
}

function differencesOf(key: AccessKey, copy: AccessKey | undefined): readonly string[] {
  if (copy === undefined) return [`key "${key.name}" is missing in the copy`];
  if (copy.digest !== key.digest) return [`key "${key.name}" is another one in the copy`];
  // The key may have been used or revoked in the target.
  const isRight =
    copy.scopes.join() === key.scopes.join() &&
    copy.project === key.project &&
    openedBy(copy) === openedBy(key) &&
    copy.createdAtMs === key.createdAtMs &&
    copy.expiresAtMs === key.expiresAtMs &&
    (key.revokedAtMs === undefined || copy.revokedAtMs !== undefined);
  return isRight ? [] : [`key "${key.name}" has other rights or times in the copy`];
}
