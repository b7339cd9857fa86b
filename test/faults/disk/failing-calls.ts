import path from "node:path";
import { STORE_FILE } from "./data-folder.ts";
import type { FaultServer } from "./fault-server.ts";
import { attachStrace, type Tracer } from "./strace.ts";

/** System calls on the files of a store that fail from now on. */
export interface FailingCalls {
  readonly calls: "pwrite64" | "fsync,fdatasync";
  readonly error: "ENOSPC" | "EIO";
  /** Which call fails, counted from 1. */
  readonly nth: number;
  /** Whether all later ones fail, too. */
  readonly isLasting: boolean;
}

/** Makes calls of a server fail until the tracer is detached. */
export function failCalls(
  server: FaultServer,
  folder: string,
  { calls, error, nth, isLasting }: FailingCalls,
): Promise<Tracer> {
  const files = [STORE_FILE, `${STORE_FILE}-wal`];
  const when = `${nth}${isLasting ? "+" : ""}`;
  const paths = files.flatMap((file) => ["-P", path.join(folder, file)]);
  const injected = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}:when=${when}`];
  return attachStrace(server.processId, [...paths, ...injected, "-o", "/dev/null"]);
}
