import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { runChild } from "../frame/child.ts";
import type { Program } from "../scenarios/tachograph.ts";

const REPOSITORY = path.join(import.meta.dirname, "../..");

/** The program as the package has it, compiled into `folder`. */
export async function packedProgram(folder: string): Promise<Program> {
  mkdirSync(folder);
  await runChild({
    program: process.execPath,
    words: [
      path.join(REPOSITORY, "node_modules/vite/bin/vite.js"),
      "build",
      `--config=${path.join(REPOSITORY, "program.vite.config.ts")}`,
      `--outDir=${path.join(folder, "dist")}`,
      "--emptyOutDir",
    ],
    folder: REPOSITORY,
  });
  for (const name of ["bin", "package.json", "dist/page"]) {
    const source = path.join(REPOSITORY, name);
    if (existsSync(source)) cpSync(source, path.join(folder, name), { recursive: true });
  }
  symlinkSync(path.join(REPOSITORY, "node_modules"), path.join(folder, "node_modules"));
  return { name: "the package", file: path.join(folder, "bin/tachograph.js") };
}
