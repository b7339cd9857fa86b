import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { LoadProcess } from "../cli/command-context.ts";

/** As `process.kill`; signal 0 sends nothing. */
type Kill = (pid: number, signal: 0 | "SIGINT" | "SIGTERM") => unknown;

const PROGRAM_MS_MAX = 120_000;

export function openLoadProcess(kill: Kill): LoadProcess {
  return {
    isRunning(pid) {
      try {
        kill(pid, 0);
        return !hasExited(pid);
      } catch (error) {
        // It is there, of another user.
        return error instanceof Error && "code" in error && error.code === "EPERM";
      }
    },
    async interrupt(pid) {
      try {
        kill(pid, await signalFor(pid));
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    async runCommand(command) {
      // The output of a check is its result alone.
      const child = spawn(command, { shell: true, stdio: ["ignore", 2, "inherit"] });
      const [code] = (await once(child, "exit")) as [number | null];
      return code === 0 ? undefined : `expected exit code 0, got ${code ?? "a signal"}`;
    },
    async runProgram(program, words) {
      await promisify(execFile)(program, words, { timeout: PROGRAM_MS_MAX });
    },
  };
}

/** Signals reach a process until whoever started it has asked how it ended: a script that waits for this check asks later. */
function hasExited(pid: number): boolean {
  try {
    return /^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}

/** A shell in a script starts what runs in the background with SIGINT ignored. */
async function signalFor(pid: number): Promise<"SIGINT" | "SIGTERM"> {
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  const [, ignored = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return (BigInt(`0x${ignored}`) & SIGINT_BIT) === 0n ? "SIGINT" : "SIGTERM";
}

const SIGINT_BIT = 2n;
