/**
 * Processes of the benchmark. All of them end with it, whatever ends it: they are killed when it
 * exits, and by the kernel where it is killed itself.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const DIES_WITH_PARENT = "/usr/bin/setpriv";
const LOOK_EVERY_MS = 20;
const STOP_PATIENCE_MS = 20_000;

const running = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => process.exit(1));
}

export interface Command {
  readonly program: string;
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
}

export interface Finished {
  /** From the start of the process to its exit. */
  readonly seconds: number;
  /** Of all its threads. Right where no other child of the benchmark ends meanwhile. */
  readonly processorSeconds: number;
  /** The most memory it had. */
  readonly residentBytes: number;
  readonly out: string;
}

/** Runs a process to its end. Throws, with what it said, where it fails. */
export async function runChild(command: Command): Promise<Finished> {
  const begin = performance.now();
  const earlierSeconds = endedProcessorSeconds();
  const { child, words } = start(command);
  let residentBytes = 0;
  // The most so far never shrinks, so that only what comes within the last look can be missed.
  const looking = setInterval(() => {
    residentBytes = Math.max(residentBytes, peakResidentBytes(child.pid));
  }, LOOK_EVERY_MS);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    const seconds = (performance.now() - begin) / 1000;
    const taken = endedProcessorSeconds() - earlierSeconds;
    if (code === 0) return { seconds, processorSeconds: taken, residentBytes, out: words.out };
    throw new Error(`${path.basename(command.program)} failed (${code}): ${lastWords(words)}`);
  } finally {
    clearInterval(looking);
  }
}

export interface RunningServer {
  readonly processId: number;
  readonly stop: () => Promise<void>;
}

/** Starts a server and waits until `isReady` says so. */
export async function startServer(
  command: Command,
  isReady: (out: string) => Promise<boolean> | boolean,
): Promise<RunningServer> {
  const { child, words } = start(command);
  const deadline = performance.now() + 60_000;
  while (!(await isReady(words.out))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`${path.basename(command.program)} did not start: ${lastWords(words)}`);
    }
    await delay(LOOK_EVERY_MS);
  }
  return { processId: child.pid ?? 0, stop: () => stop(child) };
}

/** A port of loopback that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("BUG: no port");
  return address.port;
}

/** The most memory that a running process had so far; 0 when it is gone. */
export function peakResidentBytes(processId: number | undefined): number {
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(processFile(processId, "status"))?.[1] ?? 0);
}

/** Bytes that a running process has caused to be written to the disk; 0 when it is gone. */
export function writtenBytes(processId: number | undefined): number {
  return Number(/^write_bytes: (\d+)/m.exec(processFile(processId, "io"))?.[1] ?? 0);
}

/** Processor time of the threads of a running process and of its children; 0 when it is gone. */
export function processorSeconds(processId: number): number {
  const children = processFile(processId, `task/${processId}/children`).split(" ").filter(Boolean);
  const parts = [
    ...threadsOf(processId).map((thread) => {
      return Number(processFile(processId, `task/${thread}/schedstat`).split(" ")[0]) / 1e9;
    }),
    ...children.map((child) => processorSeconds(Number(child))),
  ];
  return parts.reduce((sum, part) => sum + part, 0);
}

function threadsOf(processId: number): readonly string[] {
  try {
    return readdirSync(`/proc/${processId}/task`);
  } catch {
    return [];
  }
}

/** Processor time of the children of this process that have ended, in seconds. */
function endedProcessorSeconds(): number {
  const stat = processFile(process.pid, "stat");
  // The name, in parentheses, may contain spaces. Fields 16 and 17 in the manual of proc.
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15);
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}

/** What the kernel counts in, on every architecture. */
const TICKS_PER_SECOND = 100;

function processFile(processId: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${processId}/${name}`, "utf8");
  } catch {
    return "";
  }
}

interface Words {
  out: string;
  error: string;
}

function start(command: Command): { child: ChildProcess; words: Words } {
  const { program, words: given, environment = {}, folder } = command;
  const [first, ...rest] = existsSync(DIES_WITH_PARENT)
    ? [DIES_WITH_PARENT, "--pdeathsig", "KILL", program, ...given]
    : [program, ...given];
  const child = spawn(first, rest, {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const words: Words = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (words.out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words.error += text));
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", (error) => {
    running.delete(child);
    words.error += error.message;
  });
  return { child, words };
}

async function stop(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(impatience);
}

function lastWords({ out, error }: Words): string {
  return (error.trim() || out.trim()).split("\n").slice(-8).join("\n");
}
