import { createHash } from "node:crypto";
import path from "node:path";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import { openRemoteTarget } from "./remote-target.ts";
import { ServerCalls, type ServerCallsOptions } from "./server-calls.ts";
import { Spool } from "./spool.ts";
import { openSpoolFolder } from "./spool-folder.ts";

/** Which server results are sent to, and how. */
export interface ServerRequest {
  /** With its path prefix, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** Directory for what cannot be sent; each server has one of its own in it. */
  readonly spoolDirectory: string;
  readonly spoolBytesMax: number;
  /** Whether files are followed: then a server is waited for as long as it takes. */
  readonly isLive: boolean;
}

export interface ServerDependencies extends Omit<ServerCallsOptions, "url" | "key" | "patienceMs"> {
  readonly interrupted: AbortSignal;
  readonly processId: number;
}

/** A server that takes results. */
export interface OpenedServer {
  readonly target: ImportTarget;
  /** Where what could not be sent is kept. */
  readonly spoolLocation: string;
  /** Sends what waits, for a limited time. Answers how many batches stay in the spool. */
  settle(): Promise<number>;
}

/** How long an unreachable server is called: for a whole file, at the end of a live one, and then. */
const WHOLE_PATIENCE_MS = 120_000;
const SETTLE_PATIENCE_MS = 30_000;
const INTERRUPTED_PATIENCE_MS = 10_000;

/** Opens a server, without calling it yet. */
export async function openServer(
  request: ServerRequest,
  { interrupted, processId, ...dependencies }: ServerDependencies,
): Promise<OpenedServer> {
  let isSettling = false;
  const patienceMs = (): number => {
    if (interrupted.aborted) return INTERRUPTED_PATIENCE_MS;
    if (isSettling) return SETTLE_PATIENCE_MS;
    return request.isLive ? Infinity : WHOLE_PATIENCE_MS;
  };
  const { url, key, spoolDirectory, spoolBytesMax } = request;
  const calls = new ServerCalls({ url, key, patienceMs, ...dependencies });
  const own = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const spoolLocation = path.join(spoolDirectory, own);
  const folder = await openSpoolFolder(spoolLocation, processId);
  const { warn } = dependencies;
  const spool = await Spool.open(openRemoteTarget(calls), folder, {
    bytesMax: spoolBytesMax,
    warn,
  });
  return {
    target: spool,
    spoolLocation,
    settle() {
      isSettling = true;
      return spool.settle();
    },
  };
}
