/** The task of a test process, passed in a file. */

import { readFileSync } from "node:fs";
import type { MutantInFile } from "./switches.ts";

export interface Task {
  /** Files to mutate, relative to the repository root, with a digest of their mutants. */
  readonly files: Readonly<Record<string, string>>;
  /** Test files in the order in which they run, with a digest of their text. */
  readonly tests: Readonly<Record<string, string>>;
  readonly journal: string;
  /** Mutants that no test can detect, skipped by slow tests. By name, as in the journal. */
  readonly equivalent: readonly string[];
  /** Slower tests wait for a later round. */
  readonly slowestMs: number;
  /** When to stop, in milliseconds since 1970. @default never */
  readonly until?: number | undefined;
  /** The mutant that is on from the start; the tests then run as usual. */
  readonly mutant?: MutantInFile | undefined;
}

/** The environment variable with the path of the task file. */
export const TASK_VARIABLE = "TACHOGRAPH_MUTATION_TASK";

export function readTask(env: NodeJS.ProcessEnv): Task {
  const file = env[TASK_VARIABLE];
  if (file === undefined) throw new Error(`start this by: npm run task test:mutation`);
  return JSON.parse(readFileSync(file, "utf8")) as Task;
}

/** The files of a task as named in the journal, where a changed file has a new name. */
export function filesOf({ files }: Pick<Task, "files">): string[] {
  return Object.entries(files).map(([file, digest]) => `${file}@${digest}`);
}

/** The name of a mutant in the journal, where a changed file has new mutants. */
export function nameIn(task: Pick<Task, "files">, { file, number }: MutantInFile): string {
  return `${file}@${task.files[file]}#${number}`;
}
