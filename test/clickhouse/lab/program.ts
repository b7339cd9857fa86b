import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";

/**
 * How long a program lives. `bound`: the kernel kills it when this process ends. `detached`: until it is
 * stopped.
 */
export type Lifetime = "bound" | "detached";

/**
 * An external program in a folder of its own, with `output.log` for its output and `pid` for its process id,
 * so that other processes find it. Its command line must contain the folder, which distinguishes it from
 * another process that got the same id.
 */
export class Program {
  readonly name: string;
  readonly folder: string;
  readonly #words: readonly [string, ...string[]];

  constructor(name: string, folder: string, words: readonly [string, ...string[]]) {
    this.name = name;
    this.folder = folder;
    this.#words = words;
  }

  /** Does not wait until the program is ready. */
  start(lifetime: Lifetime): void {
    mkdirSync(this.folder, { recursive: true });
    const output = openSync(path.join(this.folder, "output.log"), "a");
    const guard = lifetime === "bound" ? ["setpriv", "--pdeathsig", "KILL", "--"] : [];
    const [command = "", ...words] = [...guard, ...this.#words];
    const child = spawn(command, words, {
      cwd: this.folder,
      detached: lifetime === "detached",
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    // Whoever waits for it reports a missing program.
    child.once("error", () => undefined);
    child.unref();
    writeFileSync(path.join(this.folder, "pid"), String(child.pid ?? ""));
  }

  /** `undefined` if it does not run. */
  get processId(): number | undefined {
    try {
      const processId = Number(readFileSync(path.join(this.folder, "pid"), "utf8"));
      const commandLine = readFileSync(`/proc/${processId}/cmdline`, "utf8");
      return commandLine.includes(this.folder) ? processId : undefined;
    } catch {
      return undefined;
    }
  }

  /** Resident memory; 0 if it does not run. */
  get residentBytes(): number {
    const { processId } = this;
    if (processId === undefined) return 0;
    const status = readFileSync(`/proc/${processId}/status`, "utf8");
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  }

  /** Resolves when it has ended: by SIGKILL, or by SIGTERM and after 30 s SIGKILL. */
  async end(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    this.send(signal);
    const impatientAtMs = performance.now() + 30_000;
    while (this.processId !== undefined) {
      if (performance.now() > impatientAtMs) this.send("SIGKILL");
      await setTimeout(10);
    }
  }

  /**
   * Waits until `isReady`. Throws, with the end of its output, if it ends earlier or takes more than a
   * minute.
   */
  async untilReady(isReady: () => Promise<boolean>): Promise<void> {
    const lateAtMs = performance.now() + 60_000;
    let goneCount = 0;
    while (!(await isReady())) {
      // While `setpriv` becomes the program, its command line cannot be read.
      goneCount = this.processId === undefined ? goneCount + 1 : 0;
      if (goneCount > 10) throw this.#trouble("ended before it was ready");
      if (performance.now() > lateAtMs) throw this.#trouble("is not ready after 60 s");
      await setTimeout(20);
    }
  }

  /** One of its logs, over all its starts; empty if there is none. */
  logged(file: string): string {
    try {
      return readFileSync(path.join(this.folder, file), "utf8");
    } catch {
      return "";
    }
  }

  /** Does not wait for the result; does nothing if it does not run. */
  send(signal: "SIGKILL" | "SIGTERM"): void {
    const { processId } = this;
    if (processId === undefined) return;
    try {
      process.kill(processId, signal);
    } catch {
      // It has ended meanwhile.
    }
  }

  #trouble(what: string): Error {
    const logs = ["output.log", "errors.log"].map((file) => this.logged(file).slice(-2000));
    return new Error(`${this.name} ${what} (its logs: ${this.folder})\n${logs.join("\n")}`);
  }
}
