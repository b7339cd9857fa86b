/**
 * Runs the tests of a group, and repeats them if their process ends early, until all have run with all
 * mutants.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { digestsOf } from "./digests.ts";
import { type Equivalent, isMeant } from "./equivalents.ts";
import { findMutants } from "./find-mutants.ts";
import type { Group } from "./groups.ts";
import { type Entry, note, type Progress, readProgress } from "./journal.ts";
import { filesOf, nameIn, type Task, TASK_VARIABLE } from "./task.ts";

const CONFIG = "test/mutation/vitest.mutation.config.ts";

/**
 * No new journal entry for this long while a mutant is on: an endless loop that passes no switch.
 */
const STALLED_MS = 30_000;
/** The start takes longer. */
const NOT_STARTED_MS = 90_000;

/** Duration limits of the rounds: mutants detected by fast tests are not tried by slow ones. */
const SLOWEST_MS = [20, 200, Number.MAX_SAFE_INTEGER];

export interface GroupRun {
  readonly task: Task;
  readonly progress: Progress;
  /** Whether the time limit was reached before all tests had run. */
  readonly isUnfinished: boolean;
}

/**
 * Tries `equivalents` only with fast tests. `journal` is the file of results; `until` is the end in
 * milliseconds since 1970.
 */
export async function runGroup(
  group: Group,
  equivalents: readonly Equivalent[],
  { journal, until }: { readonly journal: string; readonly until?: number | undefined },
): Promise<GroupRun> {
  mkdirSync(path.dirname(journal), { recursive: true });
  const digests = digestsOf(group);
  const task: Task = {
    ...digests,
    equivalent: namesOf(equivalents, digests),
    journal,
    until,
    slowestMs: Number.MAX_SAFE_INTEGER,
  };
  const isLate = () => Date.now() > (until ?? Infinity);
  for (const slowestMs of SLOWEST_MS) await runRound({ ...task, slowestMs }, isLate);
  await runAlone(group, task, isLate);
  return { task, progress: readProgress(journal), isUnfinished: isLate() };
}

function namesOf(
  equivalents: readonly Equivalent[],
  digests: Pick<Task, "files" | "tests">,
): string[] {
  return Object.keys(digests.files).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    return findMutants(source)
      .filter((mutant) => equivalents.some((entry) => isMeant(entry, file, mutant, source)))
      .map(({ number }) => nameIn(digests, { file, number }));
  });
}

/** Throws if a test fails without a mutant. */
async function runRound(task: Task, isLate: () => boolean): Promise<void> {
  while (!isLate()) {
    const tests = unfinishedTests(task);
    if (Object.keys(tests).length === 0) return;
    const before = sizeOf(task.journal);
    const end = await runTests({ ...task, tests });
    markLast(task.journal, end);
    if (end === "passed") return;
    if (sizeOf(task.journal) === before) {
      throw new Error(`these tests fail as they are: ${Object.keys(task.tests).join(", ")}`);
    }
  }
}

function unfinishedTests(task: Task): Task["tests"] {
  const { finished } = readProgress(task.journal);
  const files = filesOf(task);
  const left = Object.entries(task.tests).filter(([test, digest]) => {
    const own = finished.get(`${test} @${digest}`);
    return (
      own === undefined || own.slowestMs < task.slowestMs || files.some((file) => !own.of.has(file))
    );
  });
  return Object.fromEntries(left);
}

type End = "passed" | "failed" | "stalled";

/** A process that hung or crashed while a mutant was on has detected it. */
function markLast(journal: string, end: End): void {
  const { last } = readProgress(journal);
  if (last === undefined || end === "passed") return;
  note(journal, { killed: last.mutant, by: last.test, how: "timed out" });
}

/** Mutants in code that runs once for all tests need a process each. */
async function runAlone(group: Group, task: Task, isLate: () => boolean): Promise<void> {
  const tests = Object.values(task.tests).join();
  const { loaded, reached, killed, survivedAlone } = readProgress(task.journal);
  for (const [file, digest] of Object.entries(task.files)) {
    const isRemembering = group.remembering?.includes(file) === true;
    const alone = new Map([...(isRemembering ? reached : []), ...loaded]);
    for (const [name, by] of alone) {
      const [place, number] = name.split("#");
      if (place !== `${file}@${digest}` || killed.has(name)) continue;
      if (survivedAlone.has(`${name} @${tests}`) || task.equivalent.includes(name)) continue;
      if (isLate()) return;
      const mutant = { file, number: Number(number) };
      const end = await runTests({ ...task, tests: beginningWith(by, task.tests), mutant });
      note(task.journal, entryOf(end, name, tests));
    }
  }
}

/** A test file that reaches the mutant may detect it soon. */
function beginningWith(test: string, tests: Task["tests"]): Task["tests"] {
  const first = Object.entries(tests).filter(([file]) => test.startsWith(file));
  return { ...Object.fromEntries(first), ...tests };
}

function entryOf(end: End, name: string, tests: string): Entry {
  if (end === "passed") return { survivedAlone: `${name} @${tests}` };
  const how = end === "stalled" ? "timed out" : "failed";
  return { killed: name, by: "the tests from the start", how };
}

async function runTests(task: Task): Promise<End> {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-mutation-"));
  const file = path.join(folder, "task.json");
  writeFileSync(file, JSON.stringify(task));
  try {
    return await spawnTests({ ...process.env, [TASK_VARIABLE]: file, TMPDIR: folder }, task);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `detached` starts a process group, which is killed as a whole. */
function spawnTests(env: NodeJS.ProcessEnv, task: Task): Promise<End> {
  const vitest = path.resolve("node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--config", CONFIG];
  const child = spawn(process.execPath, args, { env, stdio: "ignore", detached: true });
  const endAll = () => {
    // Without an id, this would kill our own group.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  process.once("exit", endAll);
  return new Promise((resolve) => {
    let isStalled = false;
    const watch = watchGrowth(task.journal, () => {
      isStalled = true;
      endAll();
    });
    child.once("exit", (code) => {
      clearInterval(watch);
      process.off("exit", endAll);
      if (isStalled) resolve("stalled");
      else resolve(code === 0 ? "passed" : "failed");
    });
  });
}

function watchGrowth(file: string, stalled: () => void): NodeJS.Timeout {
  let size = sizeOf(file);
  let grownAt = Date.now();
  return setInterval(() => {
    const now = sizeOf(file);
    if (now !== size) grownAt = Date.now();
    size = now;
    const waitedMs = Date.now() - grownAt;
    const isWithMutant = waitedMs > STALLED_MS && readProgress(file).last !== undefined;
    if (isWithMutant || waitedMs > NOT_STARTED_MS) stalled();
  }, 500);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
