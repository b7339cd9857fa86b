import path from "node:path";
import type { ImportTarget } from "../operations/import-target.ts";
import { dataDirectory } from "./data-directory.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import { checkServer } from "./server-address.ts";
import type { Shell } from "./shell.ts";

/** Options of a command that puts results somewhere: into a data directory, or to a server. */
export interface TargetOptions extends StoreOptions {
  readonly url?: string;
  readonly key?: string;
  readonly spool?: string;
  readonly spoolBytes: number;
}

/** Where results go; closed where the block ends that declares it with `await using`. */
export interface OpenedTarget extends AsyncDisposable {
  readonly target: ImportTarget;
  /** Waits until everything is where it belongs. Answers whether it is. */
  settle(): Promise<boolean>;
}

export async function openTarget(
  options: TargetOptions,
  isLive: boolean,
  shell: Shell,
): Promise<OpenedTarget> {
  if (options.url !== undefined) return openServerTarget(options, options.url, isLive, shell);
  const opened = await openStore(options, shell, { mayCreate: true });
  return {
    target: opened.store,
    settle: async () => true,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function openServerTarget(
  { key, spool, spoolBytes, data }: TargetOptions,
  url: string,
  isLive: boolean,
  shell: Shell,
): Promise<OpenedTarget> {
  const server = await shell.openServer({
    ...checkServer(url, key),
    spoolDirectory: path.resolve(
      spool ?? path.join(dataDirectory(data, shell.environment), "spool"),
    ),
    spoolBytesMax: spoolBytes,
    isLive,
  });
  return {
    target: server.target,
    async settle() {
      const kept = await server.settle();
      if (kept === 0) return true;
      shell.writeError(
        `error: ${kept === 1 ? "1 batch" : `${kept} batches`} could not be sent and stay in ${printable(server.spoolPlace)}: ` +
          "the next import to this server sends what is there first\n",
      );
      return false;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
