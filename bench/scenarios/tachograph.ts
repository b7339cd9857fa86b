/** The program that is measured, compiled as in its package. */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Finished, runChild, type RunningServer, startServer } from "../frame/child.ts";
import { commitOf } from "../frame/machine.ts";
import type { BenchContext } from "../frame/scenario.ts";

const HERE = path.join(import.meta.dirname, "../..");

/** A version of the program: this checkout, and with `--before` an earlier one. */
export interface Program {
  readonly name: string;
  /** Compiles the checkout when it is first asked for. */
  readonly file: string;
}

export const TACHOGRAPH: Program = programIn("Tachograph", HERE);

/** This version, and the earlier one where there is one to compare with. */
export function programs({ before }: BenchContext): readonly Program[] {
  if (before === undefined) return [TACHOGRAPH];
  const commit = commitOf(before) ?? "before";
  return [TACHOGRAPH, programIn(`${TACHOGRAPH.name} at ${commit}`, path.resolve(before))];
}

/** Runs a command of it to its end. */
export function runProgram(program: Program, words: readonly string[]): Promise<Finished> {
  return runChild({ program: process.execPath, words: [program.file, ...words] });
}

export interface TachographServer extends RunningServer {
  readonly url: string;
  /** May read and write. */
  readonly key: string;
}

/** Starts the service for a data directory, with a key of its own. */
export async function serveProgram(program: Program, data: string): Promise<TachographServer> {
  const request = ["keys", "create", "--name", "bench", "--scope", "read,write", "--data", data];
  const key = (await runProgram(program, request)).out.trim();
  let url = "";
  const server = await startServer(
    {
      program: process.execPath,
      words: [program.file, "serve", "--port", "0", "--data", data],
    },
    (out) => {
      url = /http:\/\/[\w.:[\]]+/.exec(out)?.[0] ?? "";
      return url !== "";
    },
  );
  return { ...server, url, key };
}

function programIn(name: string, checkout: string): Program {
  let file: string | undefined;
  return {
    name,
    get file() {
      return (file ??= path.join(packageOf(checkout), "bin/tachograph.js"));
    },
  };
}

/** Compiles a checkout as its package has it, into a folder that lasts as long as this process. */
function packageOf(checkout: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-package-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const config = path.join(checkout, "build/program.vite.config.ts");
  const vite = path.join(checkout, "node_modules/vite/bin/vite.js");
  const words = [vite, "build", `--config=${config}`, `--outDir=${folder}/dist`, "--emptyOutDir"];
  execFileSync(process.execPath, words, { cwd: checkout, stdio: ["ignore", "ignore", "inherit"] });
  for (const name of ["bin", "package.json", "dist/page"]) {
    const source = path.join(checkout, name);
    if (existsSync(source)) cpSync(source, path.join(folder, name), { recursive: true });
  }
  symlinkSync(path.join(checkout, "node_modules"), path.join(folder, "node_modules"));
  return folder;
}
