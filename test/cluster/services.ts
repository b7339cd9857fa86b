/** Servers of Tachograph on machines of their own, which share the database. */

import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { PROGRAM } from "../support/run-tachograph.ts";
import { makeMachine, until, type Machine } from "./machines.ts";

const PORT = 8013;
const STARTING_PATIENCE_MS = 60_000;
const SERVICES = 2;

export interface Service {
  readonly machine: Machine;
  readonly url: string;
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
  const words = [process.execPath, PROGRAM, "serve", ...listening, "--postgres", databaseUrl];
  let child: ChildProcess | undefined;
  return {
    machine,
    url,
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
