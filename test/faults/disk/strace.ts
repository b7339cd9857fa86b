import { type ChildProcess, spawn } from "node:child_process";
import { MissingHere } from "../frame/missing-here.ts";

const ATTACHED_WITHIN_MS = 10_000;

/** strace, attached to a running process. */
export interface Tracer {
  /** Resolves when the traced process has ended, or after `detach`. */
  readonly ended: Promise<void>;
  /** The process continues normally. */
  detach(): Promise<void>;
}

/**
 * Attaches strace with these arguments to a process and all its threads; resolves once it traces them.
 * Rejects with `MissingHere` if the machine does not permit that; many permit it only to the superuser.
 */
export async function attachStrace(processId: number, words: readonly string[]): Promise<Tracer> {
  const child = spawn("strace", ["-f", "-p", String(processId), ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await attached(child);
  return {
    ended,
    async detach() {
      child.kill("SIGINT");
      await ended;
    },
  };
}

function attached(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (): void => {
      clearTimeout(timer);
      const trouble = `strace does not attach: ${said}`;
      reject(said.includes("not permitted") ? new MissingHere(trouble) : new Error(trouble));
    };
    const timer = setTimeout(fail, ATTACHED_WITHIN_MS);
    child.once("error", reject);
    child.once("close", fail);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (!said.includes("attached")) return;
      clearTimeout(timer);
      resolve();
    });
  });
}
