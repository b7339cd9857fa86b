import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { STORE_FILE } from "../disk/data-folder.ts";
import type { ServedStore } from "./served-store.ts";

const KIBIBYTE = 1024;

/** Resources that a server uses. */
export interface ServerFigures {
  readonly residentBytes: number;
  /** Open files and sockets. */
  readonly descriptors: number;
  readonly logBytes: number;
}

export function figuresOf(server: ServedStore): ServerFigures {
  const folder = `/proc/${server.running.process.pid}`;
  const status = readFileSync(`${folder}/status`, "utf8");
  const log = path.join(server.data, `${STORE_FILE}-wal`);
  return {
    residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * KIBIBYTE,
    descriptors: readdirSync(`${folder}/fd`).length,
    logBytes: statSync(log, { throwIfNoEntry: false })?.size ?? 0,
  };
}

/**
 * The smallest value that is at least as large as the share `quantile` of the values; 0 if there are none.
 */
export function quantileOf(values: readonly number[], quantile: number): number {
  const ordered = values.toSorted((left, right) => left - right);
  return ordered[Math.max(0, Math.ceil(ordered.length * quantile) - 1)] ?? 0;
}
