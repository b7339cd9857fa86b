/** Servers of Tachograph on machines of their own, which share the database. */

import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { PROGRAM } from "../support/run-tachograph.ts";
import { makeMachine, until, type Machine } from "./machines.ts";

const PORT = 8013;
const NOTICES_PORT = 8014;
const RECEIVER = path.join(import.meta.dirname, "receive-child.ts");
const STARTING_PATIENCE_MS = 60_000;
const SERVICES = 2;

interface Notice {
  readonly event: string;
  readonly loadTest: { readonly id: string };
}

export interface Service {
  readonly machine: Machine;
  readonly url: string;
  /** Those that it posted. */
  notices(): readonly Notice[];
  kill(): void;
  /** Starts it again, and waits until it answers. */
  start(): Promise<void>;
}

export async function startServices(
  directory: string,
  databaseUrl: string,
): Promise<readonly Service[]> {
  const services = Array.from({ length: SERVICES }, (_, at) =>
    serviceOn(makeMachine(`server${at + 1}`, 11 + at), directory, databaseUrl),
  );
  for (const service of services) await service.start();
  return services;
}

function serviceOn(machine: Machine, directory: string, databaseUrl: string): Service {
  const url = `http://${machine.address}:${PORT}`;
  const listening = ["--host", machine.address, "--port", String(PORT)];
  const storing = ["--postgres", databaseUrl, "--notify", `http://127.0.0.1:${NOTICES_PORT}/`];
  const words = [process.execPath, PROGRAM, "serve", ...listening, ...storing];
  const posted = path.join(directory, `${machine.name}-notices.log`);
  machine.start([process.execPath, RECEIVER, String(NOTICES_PORT)], { log: posted });
  let child: ChildProcess | undefined;
  return {
    machine,
    url,
    notices: () =>
      readFileSync(posted, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Notice),
    kill: () => void child?.kill("SIGKILL"),
    async start() {
      child = machine.start(words, { log: path.join(directory, `${machine.name}.log`) });
      await until(`${machine.name} answers`, STARTING_PATIENCE_MS, () => isLive(url));
    },
  };
}

async function isLive(url: string): Promise<true | undefined> {
  const signal = AbortSignal.timeout(1000);
  const answer = await fetch(`${url}/health/live`, { signal }).catch(() => undefined);
  return answer?.ok === true ? true : undefined;
}
