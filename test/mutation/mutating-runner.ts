/**
 * Runs each test on the original, records which mutants it reaches, and repeats it with each reached mutant
 * that is still undetected. Writes the results to the journal.
 */

import { performance } from "node:perf_hooks";
import * as fc from "fast-check";
import {
  type RunnerTestCase,
  type RunnerTestFile,
  type SerializedConfig,
  TestRunner,
} from "vitest";
import { type Entry, type Killer, note, readProgress } from "./journal.ts";
import { finish, runAgain } from "./repeatable-test.ts";
import { type MutantInFile, Switches } from "./switches.ts";
import { filesOf, nameIn, readTask } from "./task.ts";

/** Limit of a mutant's loop iterations, relative to the original. */
const ROUNDS = { factor: 10, more: 100_000 };
/** The same for working time and waiting time. */
const ACTIVE_MS = { factor: 20, more: 10_000 };
const IDLE_MS = { factor: 10, more: 1_500 };
const LOOK_MS = 100;

/** Slower tests do not try mutants listed as equivalent. */
const QUICK_MS = 200;

// A failing property detects the mutant; it need not be shrunk.
fc.configureGlobal({ seed: 1, endOnFailure: true });

interface Trial {
  readonly test: RunnerTestCase;
  readonly name: string;
  /** Duration on the original. */
  readonly timeMs: number;
  /** Limit of loop iterations for a mutant. */
  readonly roundsMax: number;
  readonly activeMaxMs: number;
  readonly idleMaxMs: number;
}

type Outcome = "passed" | Killer;

export default class MutatingRunner extends TestRunner {
  readonly #task = readTask(process.env);
  readonly #files = filesOf(this.#task);
  readonly #progress = readProgress(this.#task.journal);
  readonly #switches = new Switches();

  constructor(config: SerializedConfig) {
    super(config);
    globalThis.mutationSwitches = this.#switches;
    this.#switches.turnOn(this.#task.mutant);
  }

  onBeforeRunFiles([file]: RunnerTestFile[]): void {
    const by = file?.name ?? "";
    if (this.#task.mutant === undefined) this.#note({ loaded: this.#reached(), by });
    this.#switches.begin(false);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const name = `${test.fullName} @${this.#task.tests[test.file.name]}`;
    if (this.#task.mutant !== undefined) await TestRunner.getTestFn(test)();
    else if (!this.#isLate() && this.#isWanted(name)) await this.#meetMutants(test, name);
  }

  #isWanted(name: string): boolean {
    const { done, unrepeatable, timeMs } = this.#progress;
    const met = done.get(name);
    if (unrepeatable.has(name) || this.#files.every((file) => met?.has(file))) return false;
    return (timeMs.get(name) ?? 0) <= this.#task.slowestMs;
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files);
    if (this.#task.mutant !== undefined || this.#isLate()) return;
    for (const { name } of files) {
      const finished = `${name} @${this.#task.tests[name]}`;
      this.#note({ finished, of: this.#files, slowestMs: this.#task.slowestMs });
    }
  }

  async #meetMutants(test: RunnerTestCase, name: string): Promise<void> {
    this.#switches.begin(true);
    await TestRunner.getTestFn(test)();
    const mutants = this.#switches.reached();
    const reached = this.#reached();
    await finish(test);
    const trial = await this.#measure(test, name);
    if (trial === undefined) return this.#note({ unrepeatable: name });
    if (trial.timeMs > this.#task.slowestMs) {
      return this.#note({ postponed: name, timeMs: trial.timeMs });
    }
    const { killed, suspects } = this.#progress;
    const isSuspect = (mutant: MutantInFile) => suspects.has(nameIn(this.#task, mutant));
    const met = this.#progress.done.get(name);
    const hopeless = new Set(trial.timeMs > QUICK_MS ? this.#task.equivalent : []);
    const alive = mutants.filter((mutant) => {
      const own = nameIn(this.#task, mutant);
      const isMet = met?.has(own.split("#")[0] ?? "");
      return isMet !== true && !killed.has(own) && !hopeless.has(own);
    });
    let isClean = true;
    for (const mutant of alive.toSorted((left, right) => +isSuspect(right) - +isSuspect(left))) {
      if (this.#isLate()) return this.#note({ late: name });
      isClean = await this.#meet(mutant, trial, isClean);
    }
    const known = this.#progress.reached;
    this.#note({ done: name, of: this.#files, reached: reached.filter((one) => !known.has(one)) });
    for (const one of reached) known.set(one, name);
  }

  /** The duration of the second run on the original. `undefined` if it fails. */
  async #measure(test: RunnerTestCase, name: string): Promise<Trial | undefined> {
    const unbounded = { roundsMax: Infinity, activeMaxMs: Infinity, idleMaxMs: 60_000 };
    const start = performance.eventLoopUtilization();
    const outcome = await this.#run(undefined, { test, name, timeMs: 0, ...unbounded });
    if (outcome !== "passed") return undefined;
    const { active, idle } = performance.eventLoopUtilization(start);
    return {
      test,
      name,
      timeMs: active + idle,
      roundsMax: this.#switches.rounds * ROUNDS.factor + ROUNDS.more,
      activeMaxMs: active * ACTIVE_MS.factor + ACTIVE_MS.more,
      idleMaxMs: idle * IDLE_MS.factor + IDLE_MS.more,
    };
  }

  /** Returns whether the original is known to pass afterwards. */
  async #meet(mutant: MutantInFile, trial: Trial, isClean: boolean): Promise<boolean> {
    const name = nameIn(this.#task, mutant);
    this.#note({ tries: name, in: trial.name });
    const outcome = await this.#run(mutant, trial);
    if (outcome === "passed") return false;
    const isCleanNow = (await this.#run(undefined, trial)) === "passed";
    if (isClean || isCleanNow) {
      this.#note({ killed: name, by: trial.name, how: outcome });
      this.#progress.killed.set(name, { by: trial.name, how: outcome });
    } else {
      this.#note({ suspect: name });
    }
    // The mutant left state on which the original fails: only a new process is clean.
    if (!isCleanNow) process.kill(process.pid, "SIGKILL");
    return true;
  }

  async #run(mutant: MutantInFile | undefined, trial: Trial): Promise<Outcome> {
    this.#switches.begin(false, trial.roundsMax);
    this.#switches.turnOn(mutant);
    const outcome = await withinTime(outcomeOf(runAgain(trial.test)), trial);
    this.#switches.turnOn(undefined);
    const wasEndless = this.#switches.wasEndless;
    await finish(trial.test);
    return wasEndless ? "timed out" : outcome;
  }

  #reached(): string[] {
    return this.#switches.reached().map((mutant) => nameIn(this.#task, mutant));
  }

  #isLate(): boolean {
    return Date.now() > (this.#task.until ?? Infinity);
  }

  #note(entry: Entry): void {
    note(this.#task.journal, entry);
  }
}

async function outcomeOf(test: Promise<void>): Promise<Outcome> {
  try {
    await test;
    return "passed";
  } catch {
    return "failed";
  }
}

/**
 * The outcome, or "timed out". On a busy machine a test may take any time, so working time and waiting time
 * are limited separately.
 */
async function withinTime(
  outcome: Promise<Outcome>,
  { activeMaxMs, idleMaxMs }: Trial,
): Promise<Outcome> {
  const { promise: tooLate, resolve } = Promise.withResolvers<Outcome>();
  const start = performance.eventLoopUtilization();
  const watch = setInterval(() => {
    const { active, idle } = performance.eventLoopUtilization(start);
    if (active > activeMaxMs || idle > idleMaxMs) resolve("timed out");
  }, LOOK_MS);
  try {
    return await Promise.race([outcome, tooLate]);
  } finally {
    clearInterval(watch);
  }
}
