import { writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { installTool } from "../../tools/install.ts";
import { runCommand } from "../../tools/run-command.ts";

/**
 * The current ClickHouse engine (26.7) as a library: 540 MB, so it is not a dependency of the project.
 */
const CHDB = { name: "chdb", version: "3.4.0" } as const;

/** Folder of test programs: `TACHOGRAPH_TEST_CACHE`, or in the user's cache. */
function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const cache = environment["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache");
  return environment["TACHOGRAPH_TEST_CACHE"] ?? path.join(cache, "tachograph-tests");
}

/**
 * Returns the folder to import `chdb` from; installs it from npm if needed. Throws if that fails.
 */
export function installChdb(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  return installTool({ ...CHDB, install }, cacheFolder(environment));
}

async function install(folder: string): Promise<void> {
  // Its manifest pins exact versions of its parts; no package script is run.
  const dependencies = { [CHDB.name]: CHDB.version };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await runCommand("npm", words, { cwd: folder, log: path.join(folder, "install.log") });
}
