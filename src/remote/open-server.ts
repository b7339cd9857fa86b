import { createHash } from "node:crypto";
import path from "node:path";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import { openRemoteTarget } from "./remote-target.ts";
import { ServerCalls, type ServerCallsOptions } from "./server-calls.ts";
import { Spool } from "./spool.ts";
import { openSpoolFolder } from "./spool-folder.ts";

export interface ServerRequest {
  /** With its path prefix, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly spoolDirectory: string;
  readonly spoolBytesMax: number;
  /** Whether files are followed: then it waits for the server indefinitely. */
  readonly isLive: boolean;
}

export interface ServerDependencies extends Omit<
  ServerCallsOptions,
  "url" | "key" | "patienceMs" | "attemptMsMax"
> {
  readonly interrupted: AbortSignal;
  readonly processId: number;
}

export interface OpenedServer {
  readonly target: ImportTarget;
  /** Where unsent data are stored. */
  readonly spoolLocation: string;
  /** Sends waiting batches for a limited time. Returns how many stay in the spool. */
  settle(): Promise<number>;
}

/** A batch is stored in less. */
const ATTEMPT_MS_MAX = 30_000;

/** Time limits of retries: for a file, at the end of a live one, and after that. */
const WHOLE_PATIENCE_MS = 120_000;
const SETTLE_PATIENCE_MS = 30_000;
const INTERRUPTED_PATIENCE_MS = 10_000;

/** Opens a server without a request. */
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
  const attemptMsMax = ATTEMPT_MS_MAX;
  const calls = new ServerCalls({ url, key, patienceMs, attemptMsMax, ...dependencies });
  const own = createHash("sha256").update(url).digest("hex").slice(0, 16);
  const spoolLocation = path.join(spoolDirectory, own);
  const folder = await openSpoolFolder(spoolLocation, processId);
  const options = { bytesMax: spoolBytesMax, warn: dependencies.warn };
  const spool = await Spool.open(openRemoteTarget(calls), folder, options);
  return {
    target: spool,
    spoolLocation,
    settle() {
      isSettling = true;
      return spool.settle();
    },
  };
}
