import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { LoadTool } from "./tool.ts";

/** The folder of installed tools: `TACHOGRAPH_TOOLS`, or one in the user's cache. */
export function toolsFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const cache = environment["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache");
  return environment["TACHOGRAPH_TOOLS"] ?? path.join(cache, "tachograph-tools");
}

/**
 * The folder of a tool; installs the tool if necessary. The folder appears only when complete, so an
 * interrupted installation is repeated. Throws what `tool.install` throws.
 */
export async function installTool(
  tool: Pick<LoadTool, "name" | "version" | "install">,
  folder = toolsFolder(),
): Promise<string> {
  const installed = path.join(folder, `${tool.name}-${tool.version}`);
  if (existsSync(installed)) return installed;
  const unfinished = `${installed}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  try {
    await tool.install(unfinished);
    renameSync(unfinished, installed);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return installed;
}
