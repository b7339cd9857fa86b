/** The package installed in an empty folder, run by a chosen Node. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { installTool } from "../tools/install.ts";
import { runCommand } from "../tools/run-command.ts";
import {
  type Launch,
  type ProcessOutcome,
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";
import type { PackedPackage } from "./pack.ts";

export interface InstalledProgram extends Disposable {
  readonly folder: string;
  /** A command and its first words. */
  readonly program: readonly string[];
  run(words: readonly string[], launch?: Launch): Promise<ProcessOutcome>;
  start(words: readonly string[], launch?: Launch): RunningTachograph;
}

export interface InstalledPackage extends InstalledProgram {
  /** Runs a module that uses the package and returns its output. */
  runModule(text: string, environment?: Readonly<Record<string, string>>): string;
}

/** Installs it as users do, without anything of this repository. `node` runs the package. */
export async function installPackage(
  packed: PackedPackage,
  node: string,
): Promise<InstalledPackage> {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-outside-"));
  writeFileSync(path.join(folder, "package.json"), "{}");
  const words = ["install", "--no-audit", "--no-fund", "--prefix", folder, packed.file];
  await runCommand("npm", words, { cwd: folder, log: path.join(folder, "install.log") });
  const script = path.join(folder, "node_modules/tachograph/bin/tachograph.js");
  return {
    ...installedProgram(folder, [node, script]),
    runModule(text, environment) {
      const file = path.join(folder, "module.mjs");
      writeFileSync(file, text);
      const env = { ...process.env, ...environment };
      return execFileSync(node, [file], { cwd: folder, encoding: "utf8", env });
    },
  };
}

/** `folder` is removed when it is disposed of. */
export function installedProgram(
  folder: string,
  program: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): InstalledProgram {
  const launched = (launch: Launch = {}): Launch => ({ environment, ...launch, program });
  return {
    folder,
    program,
    run: (given, launch) => runTachograph(given, launched(launch)),
    start: (given, launch) => startTachograph(given, "ended", launched(launch)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** The newest Node of a major version in the registry for this machine; installed once. */
export async function installNode(major: number): Promise<string> {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = await installTool({
    name: "node",
    version: String(major),
    async install(own) {
      writeFileSync(path.join(own, "package.json"), "{}");
      const words = ["install", "--no-audit", "--no-fund", "--prefix", own, `${name}@${major}`];
      await runCommand("npm", words, { cwd: own, log: path.join(own, "install.log") });
    },
  });
  return path.join(folder, "node_modules", name, "bin/node");
}

/** A server of the package on previously imported data. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
}

export async function serve(installed: InstalledProgram, data: string): Promise<Service> {
  const about = ["--name", "outside", "--scope", "read,write", "--data", data];
  const made = await installed.run(["keys", "create", ...about]);
  const server = installed.start(["serve", "--port", "0", "--data", data]);
  const url = /http:\/\/[\d.:]+/.exec(await server.printed("http://"))?.[0] ?? "";
  return {
    url,
    key: made.out.trim(),
    async [Symbol.asyncDispose]() {
      server.process.kill("SIGTERM");
      await server.outcome;
    },
  };
}
