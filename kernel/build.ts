/**
 * Compiles the kernels to `src/kernel/*-module.ts`, which are committed so that the sources run
 * without a build:
 *
 *     npm run task build:kernel
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Memory of each kernel, by folder name, in pages of 64 KiB. */
export const KERNELS: Readonly<Record<string, number>> = {
  aggregate: 2449,
  blocks: 725,
  lines: 331,
  render: 6,
  rows: 797,
};

const OPTIONS =
  "--runtime stub --use abort= --noAssert --optimizeLevel 3 --shrinkLevel 0 --enable simd";

const root = path.join(import.meta.dirname, "..");
// Run as a program: importing it would load types that change those of arrays here.
const compiler = fileURLToPath(import.meta.resolve("assemblyscript/bin/asc.js"));

/** Returns the path of the compiled module of a kernel. */
export function moduleFile(name: string): string {
  return path.join(root, "src/kernel", `${name}-module.ts`);
}

/** Compiles a kernel and returns the text of its module file. */
export function moduleText(name: string): string {
  return `/** Made of kernel/${name} by \`npm run task build:kernel\`: WebAssembly in base64. */
export const ${name}Module =
  "${compile(name).toString("base64")}";
`;
}

function compile(name: string): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), "kernel-"));
  try {
    const file = path.join(folder, "module.wasm");
    const paths = [`kernel/${name}/index.ts`, "--outFile", file];
    const pages = `${KERNELS[name]}`;
    const memory = ["--initialMemory", pages, "--maximumMemory", pages];
    const words = [compiler, ...paths, ...memory, ...OPTIONS.split(" ")];
    execFileSync(process.execPath, words, { cwd: root });
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  for (const name of Object.keys(KERNELS)) writeFileSync(moduleFile(name), moduleText(name));
}
