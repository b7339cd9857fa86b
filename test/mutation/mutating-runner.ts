/**
 * Runs each test once as it is, sees which mutants it passes, and runs it again with each of them
 * on that no test has noticed yet. What is found goes to the journal.
 */

import * as fc from "fast-check";
import { type RunnerTestCase, type SerializedConfig, TestRunner } from "vitest";
import { type Entry, type Killer, note, readProgress } from "./journal.ts";
import { finish, runAgain } from "./repeatable-test.ts";
import { type MutantInFile, Switches } from "./switches.ts";
import { nameIn, readTask } from "./task.ts";

/** A mutant may take this many times as many rounds of loops as the original, and some more. */
const ROUNDS = { factor: 10, more: 100_000 };
const TIME_MS = { factor: 20, more: 5_000 };

// A property that fails is a mutant noticed: the smallest example of it does not matter.
fc.configureGlobal({ seed: 1, endOnFailure: true });

interface Trial {
  readonly test: RunnerTestCase;
  readonly name: string;
  /** What the original takes. */
  readonly timeMs: number;
  /** What a mutant may take. */
  readonly roundsMax: number;
  readonly timeMaxMs: number;
}

type Outcome = "passed" | Killer;

export default class MutatingRunner extends TestRunner {
  readonly #task = readTask(process.env);
  readonly #progress = readProgress(this.#task.journal);
  readonly #switches = new Switches();

  constructor(config: SerializedConfig) {
    super(config);
    globalThis.mutationSwitches = this.#switches;
    this.#switches.turnOn(this.#task.mutant);
  }

  onBeforeRunFiles(): void {
    if (this.#task.mutant === undefined) this.#note({ loaded: this.#reached() });
    this.#switches.begin(false);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const name = `${test.fullName} @${this.#task.tests[test.file.name]}`;
    if (this.#task.mutant !== undefined) await TestRunner.getTestFn(test)();
    else if (!this.#isLate() && this.#isWanted(name)) await this.#meetMutants(test, name);
  }

  #isWanted(name: string): boolean {
    const { done, unrepeatable, timeMs } = this.#progress;
    if (done.has(name) || unrepeatable.has(name)) return false;
    return (timeMs.get(name) ?? 0) <= this.#slowestMs;
  }

  get #slowestMs(): number {
    return this.#task.slowestMs ?? Infinity;
  }

  async #meetMutants(test: RunnerTestCase, name: string): Promise<void> {
    this.#switches.begin(true);
    await TestRunner.getTestFn(test)();
    const mutants = this.#switches.reached();
    const reached = this.#reached();
    await finish(test);
    const trial = await this.#measure(test, name);
    if (trial === undefined) return this.#note({ unrepeatable: name });
    if (trial.timeMs > this.#slowestMs) {
      return this.#note({ postponed: name, timeMs: trial.timeMs });
    }
    const { killed, suspects } = this.#progress;
    const isSuspect = (mutant: MutantInFile) => suspects.has(nameIn(this.#task, mutant));
    const alive = mutants.filter((mutant) => !killed.has(nameIn(this.#task, mutant)));
    let isClean = true;
    for (const mutant of alive.toSorted((left, right) => +isSuspect(right) - +isSuspect(left))) {
      if (this.#isLate()) return this.#note({ late: name });
      isClean = await this.#meet(mutant, trial, isClean);
    }
    const known = this.#progress.reached;
    this.#note({ done: name, reached: reached.filter((one) => !known.has(one)) });
    for (const one of reached) known.add(one);
  }

  /** What the original takes the second time. `undefined` if it fails then. */
  async #measure(test: RunnerTestCase, name: string): Promise<Trial | undefined> {
    const trial = { test, name, timeMs: 0, roundsMax: Infinity, timeMaxMs: 60_000 };
    const start = performance.now();
    if ((await this.#run(undefined, trial)) !== "passed") return undefined;
    const timeMs = performance.now() - start;
    const timeMaxMs = timeMs * TIME_MS.factor + TIME_MS.more;
    const roundsMax = this.#switches.rounds * ROUNDS.factor + ROUNDS.more;
    return { test, name, timeMs, roundsMax, timeMaxMs };
  }

  /** Whether the next one finds everything as the original leaves it. */
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
    // Something is left behind that the original stumbles over: only a new process is as before.
    if (!isCleanNow) process.kill(process.pid, "SIGKILL");
    return true;
  }

  async #run(mutant: MutantInFile | undefined, trial: Trial): Promise<Outcome> {
    this.#switches.begin(false, trial.roundsMax);
    this.#switches.turnOn(mutant);
    const outcome = await Promise.race([
      runAgain(trial.test).then(
        (): Outcome => "passed",
        (): Outcome => "failed",
      ),
      timeOut(trial.timeMaxMs),
    ]);
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

function timeOut(timeMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    setTimeout(() => resolve("timed out"), timeMs).unref();
  });
}
