import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cacheFolder, cachePath } from "./cache.ts";
import { installCommand } from "./install-command.ts";
import { found, missing, type Peer } from "./peer.ts";

/** A package of npm, installed into a folder of its own, so that it is no dependency of the project. */
export function npmPeer(request: {
  readonly name: string;
  readonly version: string;
  readonly packageName: string;
}): Peer {
  const { name, version, packageName } = request;
  const folderName = name.toLowerCase();
  const installed = cachePath("peers", folderName, "node_modules", packageName);
  return {
    name,
    version,
    find: () =>
      existsSync(installed) ? found(installed) : missing(`no npm package ${packageName}`),
    install() {
      const folder = cacheFolder("peers", folderName);
      writeFileSync(path.join(folder, "package.json"), '{ "private": true }\n');
      installCommand("npm", ["install", "--save-exact", `${packageName}@${version}`], folder);
    },
  };
}
