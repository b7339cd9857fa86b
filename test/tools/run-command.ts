import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";

export interface CommandOptions {
  /** Working directory of the command. */
  readonly cwd: string;
  /** File for its output. */
  readonly log: string;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command is killed after this time. @default 10 minutes */
  readonly timeoutMs?: number;
  /** Exit codes that count as success. @default 0 */
  readonly codes?: readonly number[];
}

/** Runs a command to its end. Throws, with the end of its output, if it fails. */
export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, log, env = {}, timeoutMs = 600_000, codes = [0] }: CommandOptions,
): Promise<void> {
  const output = openSync(log, "a");
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", output, output],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    if (code !== null && codes.includes(code)) return;
    throw new Error(`${command} ended with ${code ?? signal}: ${lastLines(log)}`);
  } finally {
    closeSync(output);
  }
}

function lastLines(log: string): string {
  return readFileSync(log, "utf8").trim().split("\n").slice(-5).join(" | ");
}
