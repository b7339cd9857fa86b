/** Machines made of network namespaces on one bridge, which only this process and its children see. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const NETWORK = "10.77.0";

/** Of a second start of this program. */
const INSIDE = "TACHOGRAPH_CLUSTER_INSIDE";

/**
 * Starts this program again with networks, mounts and processes of its own, all of which end with it, and returns its exit
 * code; `undefined`: this is that second start.
 */
export async function isolate(): Promise<number | undefined> {
  if (process.env[INSIDE] !== undefined) return undefined;
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  // The shell is the first process of them, and takes in those whose parents were killed.
  const script = 'mkdir -p /run/netns; mount -t tmpfs none /run/netns; "$@"; exit $?';
  const inner = ["bash", "-c", script, "bash", process.execPath, ...process.argv.slice(1)];
  const child = spawn("unshare", [...namespaces, ...inner], {
    stdio: "inherit",
    env: { ...process.env, [INSIDE]: "1" },
  });
  // It passes no signal on, but all of them end when it is killed.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

interface Launched {
  /** A user other than root. */
  readonly user?: string;
  /** File that gets what it prints. */
  readonly log: string;
}

export interface Machine {
  readonly name: string;
  readonly address: string;
  start(words: readonly string[], launched: Launched): ChildProcess;
  /** Sends a signal to everything that runs there, or to the processes whose command line contains `only`. */
  signal(signal: "KILL" | "STOP" | "CONT", only?: string): void;
  /** Cuts it off the others, silently: packets to and from it are dropped. */
  cut(): void;
  join(): void;
}

/** Connects this process to the bridge. */
export function makeNetwork(): void {
  ip("link", "set", "lo", "up");
  ip("link", "add", "bridge0", "type", "bridge");
  ip("address", "add", `${NETWORK}.254/24`, "dev", "bridge0");
  ip("link", "set", "bridge0", "up");
}

/** `number` is below 254 and of no other machine. */
export function makeMachine(name: string, number: number): Machine {
  const address = `${NETWORK}.${number}`;
  const port = `port-${name}`;
  const inside = (...words: string[]): void => ip("-n", name, ...words);
  const join = (): void => ip("link", "set", port, "master", "bridge0");
  ip("netns", "add", name);
  ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", name);
  join();
  ip("link", "set", port, "up");
  inside("address", "add", `${address}/24`, "dev", "eth0");
  for (const device of ["lo", "eth0"]) inside("link", "set", device, "up");
  return {
    name,
    address,
    start(words, { user, log }) {
      const as = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`];
      const groups = user === undefined ? [] : ["--init-groups"];
      const output = openSync(log, "a");
      const all = ["netns", "exec", name, ...as, ...groups, ...words];
      return spawn("ip", all, { stdio: ["ignore", output, output] });
    },
    signal(signal, only = "") {
      for (const pid of pidsOf(name)) {
        if (!commandOf(pid).includes(only)) continue;
        try {
          process.kill(pid, `SIG${signal}`);
        } catch {
          // It ended by itself.
        }
      }
    },
    cut: () => ip("link", "set", port, "nomaster"),
    join,
  };
}

/** Repeats `look` until it returns something. Throws after `patienceMs`, naming `what`. */
export async function until<Found>(
  what: string,
  patienceMs: number,
  look: () => Promise<Found | undefined> | Found | undefined,
): Promise<Found> {
  const beganAtMs = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() - beganAtMs > patienceMs) {
      throw new Error(`${what}: not within ${patienceMs / 1000} s`);
    }
    await delay(100);
  }
}

function pidsOf(name: string): readonly number[] {
  const text = execFileSync("ip", ["netns", "pids", name], { encoding: "utf8" });
  return text.split("\n").filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function ip(...words: string[]): void {
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "inherit"] });
}
