/** Runs the real program as a child process. */

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import type { Readable } from "node:stream";

/** The checkout's program, or another build. */
export const PROGRAM =
  process.env["TACHOGRAPH_PROGRAM"] ?? path.join(import.meta.dirname, "../../bin/tachograph.js");

/** Killed when this process ends. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export interface ProcessOutcome {
  /** `undefined` if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly out: string;
  readonly error: string;
}

export interface RunningTachograph {
  readonly process: ChildProcess;
  readonly outcome: Promise<ProcessOutcome>;
  /** Resolves when standard output contains `text`; rejects if the process ends before. */
  printed(text: string): Promise<string>;
  /** The same for standard error. */
  logged(text: string): Promise<string>;
}

/** Overrides how a process is started. */
export interface Launch {
  /** A program that starts ours, with its arguments: `["prlimit", "--nofile=64"]`. */
  readonly through?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A command and its first words. @default this Node and the checkout's program */
  readonly program?: readonly string[];
}

export function startTachograph(
  words: readonly string[],
  input: "ended" | "open" = "ended",
  { through = [], environment = {}, program = [process.execPath, PROGRAM] }: Launch = {},
): RunningTachograph {
  const [command = "", ...rest] = [...through, ...program, ...words];
  const child = spawn(command, rest, {
    stdio: "pipe",
    env: { ...process.env, TZ: "UTC", ...environment },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  if (input === "ended") child.stdin.end();
  let out = "";
  let error = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (error += text));
  const outcome = new Promise<ProcessOutcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ exitCode: code ?? undefined, out, error }));
  });
  const holds = (stream: Readable, all: () => string, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (all().includes(text)) resolve(all());
      };
      stream.on("data", look);
      child.once("close", () => reject(new Error(`ended without "${text}": ${error}`)));
      look();
    });
  return {
    process: child,
    outcome,
    printed: (text) => holds(child.stdout, () => out, text),
    logged: (text) => holds(child.stderr, () => error, text),
  };
}

export function runTachograph(words: readonly string[], launch?: Launch): Promise<ProcessOutcome> {
  return startTachograph(words, "ended", launch).outcome;
}
