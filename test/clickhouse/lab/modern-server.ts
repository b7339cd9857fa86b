import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { installChdb } from "./install-chdb.ts";
import { Program } from "./program.ts";

/** The current engine behind an HTTP front of our own; it ends with this process. */
export interface ModernServer {
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
}

/** Installs the engine if needed and starts it with a new, empty folder. */
export async function startModernServer(): Promise<ModernServer> {
  const library = await installChdb();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-chdb-"));
  const front = path.join(import.meta.dirname, "../chdb-front.ts");
  const program = new Program("chdb", folder, [process.execPath, front, library, folder]);
  const address = (): string | undefined => /^http:\S+$/m.exec(program.logged("output.log"))?.[0];
  program.start("bound");
  await program.untilReady(() => Promise.resolve(address() !== undefined));
  return {
    url: address() ?? "",
    folder,
    async stop() {
      await program.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
