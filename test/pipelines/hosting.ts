/** Simulates how the hosting services run the steps of a pipeline. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PROGRAM } from "../support/run-tachograph.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const PIPELINE = path.join(ROOT, "bin/tachograph-pipeline.sh");

export interface StepOutcome {
  readonly exitCode: number;
  readonly printed: string;
}

/** A folder in which steps run, with the programs that they call. */
export interface Job {
  readonly folder: string;
  /** Runs the lines of a step with bash like the services: the first failing line ends it. */
  run(lines: string, environment: Readonly<Record<string, string>>): Promise<StepOutcome>;
  /** The recorded calls of `npm` or `gh`, one per line. */
  calls(program: "npm" | "gh"): string;
  /** Sets the output of `npm` or `gh`. */
  answer(program: "npm" | "gh", words: string): void;
  /** The contents of a file that steps wrote; empty if there is none. */
  file(name: string): string;
}

/** `npm` and `gh` only record their calls; the package's commands are those of this checkout. */
export function createJob(folder: string): Job {
  const programs = path.join(folder, "programs");
  mkdirSync(programs, { recursive: true });
  const put = (name: string, lines: string): void => {
    writeFileSync(path.join(programs, name), `#!/bin/bash\n${lines}\n`);
    chmodSync(path.join(programs, name), 0o755);
  };
  put("tachograph", `exec '${process.execPath}' '${PROGRAM}' "$@"`);
  put("tachograph-pipeline", `exec '${PIPELINE}' "$@"`);
  for (const name of ["npm", "gh"]) {
    const [calls, answer] = ["calls", "answer"].map((kind) => path.join(folder, `${name}.${kind}`));
    put(name, `echo "$*" >> '${calls}'; cat '${answer}' 2>/dev/null || true`);
  }
  const file = (name: string): string => {
    try {
      return readFileSync(path.join(folder, name), "utf8");
    } catch {
      return "";
    }
  };
  return {
    folder,
    file,
    calls: (program) => file(`${program}.calls`),
    answer: (program, words) => writeFileSync(path.join(folder, `${program}.answer`), words),
    async run(lines, environment) {
      const child = spawn("bash", ["-e", "-o", "pipefail", "-c", lines], {
        cwd: folder,
        env: { ...process.env, ...environment, PATH: `${programs}:${process.env["PATH"]}` },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let printed = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => void (printed += text));
      }
      const [exitCode] = (await once(child, "close")) as [number];
      return { exitCode, printed };
    },
  };
}

/** Substitutes GitHub's expressions. Throws for an unknown one. */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{\{ (.+?) \}\}/g, (_, expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`no value for the expression ${expression}`);
    return value;
  });
}
