/** What the tool asks of the process that runs the tests, handed over in a file. */

import { readFileSync } from "node:fs";
import type { MutantInFile } from "./switches.ts";

export interface Task {
  /** Files to be mutated, from the root of the repository, with a digest of their mutants. */
  readonly files: Readonly<Record<string, string>>;
  /** Test files in the order in which they run, with a digest of all that they say. */
  readonly tests: Readonly<Record<string, string>>;
  readonly journal: string;
  /** Mutants that no test can notice: the slow ones need not try. By name, as in the journal. */
  readonly equivalent: readonly string[];
  /** Tests that take longer wait for a later round. */
  readonly slowestMs: number;
  /** When to stop, in milliseconds since 1970. @default never */
  readonly until?: number | undefined;
  /** The mutant that is on from the start; the tests then run as usual. */
  readonly mutant?: MutantInFile | undefined;
}

/** Names the file with the task. */
export const TASK_VARIABLE = "TACHOGRAPH_MUTATION_TASK";

export function readTask(env: NodeJS.ProcessEnv): Task {
  const file = env[TASK_VARIABLE];
  if (file === undefined) throw new Error(`start this by: npm run test:mutation`);
  return JSON.parse(readFileSync(file, "utf8")) as Task;
}

/** The files of a task as the journal calls them: a changed file is another one. */
export function filesOf({ files }: Pick<Task, "files">): string[] {
  return Object.entries(files).map(([file, digest]) => `${file}@${digest}`);
}

/** What the journal calls a mutant: a changed file has other mutants. */
export function nameIn(task: Pick<Task, "files">, { file, number }: MutantInFile): string {
  return `${file}@${task.files[file]}#${number}`;
}
