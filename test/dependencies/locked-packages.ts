import { readFileSync } from "node:fs";
import path from "node:path";

export interface LockedPackage {
  readonly name: string;
  /** Its path, such as `node_modules/pino`. */
  readonly place: string;
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  /** Whether it links to a folder of this repository. */
  readonly link?: true;
  readonly license?: string;
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly devOptional?: true;
}

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The lock file of npm. */
export interface Lock {
  readonly packages: Readonly<Record<string, Omit<LockedPackage, "name" | "place">>>;
}

export const manifest = readJson("package.json") as Manifest;
export const lock = readJson("package-lock.json") as Lock;

/** Everything that `npm ci` installs from elsewhere. */
export const locked: readonly LockedPackage[] = Object.entries(lock.packages)
  .filter(([place, { link }]) => place.startsWith("node_modules/") && link !== true)
  .map(([place, about]) => ({ ...about, place, name: place.replace(/^.*node_modules\//, "") }));

/** What is installed with the package for its users. */
export const shipped: readonly LockedPackage[] = locked.filter(
  ({ dev, devOptional }) => dev !== true && devOptional !== true,
);

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, "../..", name), "utf8"));
}
