/** Builds the program with its page, its dependencies and Node as one file: `build/executable/dist/tachograph`. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { build, mergeConfig } from "vite";
import program from "../program.vite.config.ts";

const REPOSITORY = path.join(import.meta.dirname, "../..");
const OUT = path.join(import.meta.dirname, "dist");
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Of the runtime that is pinned in the lock file, not of whoever runs this script. */
const NODE_PACKAGE = path.join(
  REPOSITORY,
  "node_modules",
  `node-${process.platform}-${process.arch}`,
);

/** Runs before the program, which is an ES module. */
const START = 'import("./bin/tachograph.js");\n';

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-executable-"));
try {
  mkdirSync(OUT, { recursive: true });
  await collectProgram(path.join(folder, "program"));
  await assemble(folder);
} finally {
  rmSync(folder, { recursive: true });
}

async function collectProgram(into: string): Promise<void> {
  const bundled = { ssr: { noExternal: true }, build: { outDir: path.join(into, "dist") } };
  await build(mergeConfig(program, { ...bundled, configFile: false, logLevel: "warn" }));
  for (const name of [
    "bin/tachograph.js",
    "examples/demo",
    "dist/page",
    "package.json",
    "LICENSE",
  ]) {
    cpSync(path.join(REPOSITORY, name), path.join(into, name), { recursive: true });
  }
  writeFileSync(path.join(into, "start.cjs"), START);
  writeFileSync(path.join(into, "THIRD-PARTY-LICENSES"), licenses());
}

/** Of Node, and of every package that is installed with ours. */
function licenses(): string {
  const lock = JSON.parse(readFileSync(path.join(REPOSITORY, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly dev?: true }>>;
  };
  const shipped = Object.entries(lock.packages).filter(([at, { dev }]) => at !== "" && !dev);
  const texts = [...shipped.map(([at]) => path.join(REPOSITORY, at)), NODE_PACKAGE].map((at) => {
    const file = readdirSync(at).find((name) => /^licen[cs]e/i.test(name));
    const { name, version } = JSON.parse(readFileSync(path.join(at, "package.json"), "utf8"));
    const text =
      file === undefined ? "See its package.json." : readFileSync(path.join(at, file), "utf8");
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

async function assemble(work: string): Promise<void> {
  const packed = packFolder(path.join(work, "program"));
  const digest = createHash("sha256").update(packed).digest("hex").slice(0, 16);
  const version = JSON.parse(readFileSync(path.join(REPOSITORY, "package.json"), "utf8")).version;
  const at = (name: string): string => path.join(work, name);
  writeFileSync(at("name"), `${version}-${digest}`);
  writeFileSync(at("packed"), packed);
  const config = {
    main: path.join(import.meta.dirname, "launch.cjs"),
    output: at("blob"),
    disableExperimentalSEAWarning: true,
    assets: { name: at("name"), program: at("packed") },
  };
  writeFileSync(at("sea.json"), JSON.stringify(config));
  const node = path.join(NODE_PACKAGE, "bin", "node");
  execFileSync(node, ["--experimental-sea-config", at("sea.json")], { stdio: "ignore" });
  const executable = at("tachograph");
  copyFileSync(node, executable);
  chmodSync(executable, 0o755);
  const { inject } = createRequire(import.meta.url)("postject");
  await inject(executable, "NODE_SEA_BLOB", readFileSync(at("blob")), { sentinelFuse: FUSE });
  copyFileSync(executable, path.join(OUT, "tachograph"));
}

/** The sizes of all files as a line of JSON, and their contents. */
function packFolder(root: string): Uint8Array {
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .toSorted();
  const contents = names.map((name) => readFileSync(path.join(root, name)));
  const sizes = names.map((name, index) => [name, contents[index]?.length]);
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(sizes)}\n`), ...contents]);
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}
