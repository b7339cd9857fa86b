import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { cacheFolder, cachePath } from "./cache.ts";
import { installCommand } from "./install-command.ts";
import { found, missing, type Peer } from "./peer.ts";

const PLACES = ["usr/bin", "usr/sbin"];

/**
 * A program of a Debian package. One that is installed is used as it is; otherwise the package, and
 * what it depends on and is not installed, is downloaded and unpacked: that starts no service and
 * needs no root.
 */
export function debianPeer(request: {
  readonly name: string;
  readonly version: string;
  readonly packageName: string;
  readonly program: string;
}): Peer {
  const { name, version, packageName, program } = request;
  const root = cachePath("peers", packageName, "root");
  return {
    name,
    version,
    find() {
      const installed = PLACES.map((place) => path.join("/", place, program)).find(existsSync);
      if (installed !== undefined) return found(installed);
      const unpacked = PLACES.map((place) => path.join(root, place, program)).find(existsSync);
      if (unpacked === undefined) return missing(`no Debian package ${packageName}`);
      return found(unpacked, { LD_LIBRARY_PATH: libraryFolders(root).join(":") });
    },
    install() {
      const folder = cacheFolder("peers", packageName);
      const plan = installCommand(
        "apt-get",
        ["install", "--simulate", "--no-install-recommends", packageName],
        folder,
      );
      const wanted = [...plan.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? "");
      if (wanted.length === 0) return;
      installCommand("apt-get", ["download", ...wanted], folder);
      for (const file of readdirSync(folder).filter((each) => each.endsWith(".deb"))) {
        installCommand("dpkg", ["-x", file, root], folder);
      }
    },
  };
}

function libraryFolders(root: string): string[] {
  const libraries = ["usr/lib", "lib"].map((place) => path.join(root, place)).filter(existsSync);
  const perMachine = libraries.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.endsWith("-linux-gnu"))
      .map((entry) => path.join(folder, entry.name)),
  );
  return [...perMachine, ...libraries];
}
