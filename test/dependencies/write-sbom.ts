/**
 * Writes the bill of materials (CycloneDX) of what is installed with the package:
 *
 *     npm run --silent task sbom > sbom.json
 *
 * npm leaves out packages that are development dependencies, too, so it runs on a copy without these.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { lock, manifest, shipped } from "./locked-packages.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-sbom-"));
try {
  const packages = {
    "": { ...lock.packages[""], devDependencies: undefined },
    ...Object.fromEntries(shipped.map(({ place, name: _name, ...about }) => [place, about])),
  };
  writeJson("package.json", { ...manifest, devDependencies: undefined });
  writeJson("package-lock.json", { ...lock, packages });
  const words = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"];
  const { status, stdout, stderr } = spawnSync("npm", words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const { components } = JSON.parse(stdout) as { components: readonly unknown[] };
  const wanted = new Set(shipped.map(({ name, version }) => `${name}@${version}`)).size;
  if (components.length !== wanted) {
    throw new Error(`the bill has ${components.length} packages, the lock file ${wanted}`);
  }
  process.stdout.write(stdout);
} finally {
  rmSync(folder, { recursive: true });
}

function writeJson(name: string, content: unknown): void {
  writeFileSync(path.join(folder, name), JSON.stringify(content));
}
