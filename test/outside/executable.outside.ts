/** The executable, alone in a folder, where no Node can be found. */

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkProgram } from "./check-program.ts";
import { demoReport } from "./demo-report.ts";
import { type InstalledProgram, installedProgram } from "./installed-package.ts";

const REPOSITORY = path.join(import.meta.dirname, "../..");
const VERSION_MS = 100;

/** Built for Linux x64 only. */
const isBuilt = process.platform === "linux" && process.arch === "x64";

if (isBuilt) {
  const folder = path.join(REPOSITORY, "build/executable");
  execFileSync("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--silent"]);
  const { NODE_ENV: _, ...env } = process.env;
  execFileSync(process.execPath, [path.join(folder, "build.ts")], { env, stdio: "pipe" });
}

/** In an empty folder, with an empty PATH and a separate home. */
function installExecutable(): InstalledProgram {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-executable-"));
  const executable = path.join(folder, "tachograph");
  copyFileSync(path.join(REPOSITORY, "build/executable/dist/tachograph"), executable);
  const [home, empty] = [path.join(folder, "home"), path.join(folder, "empty")];
  for (const each of [home, empty]) mkdirSync(each);
  const environment = { HOME: home, PATH: empty, XDG_CACHE_HOME: "", NODE_COMPILE_CACHE: "" };
  return installedProgram(folder, [executable], environment);
}

test.runIf(isBuilt)("it imports, serves and works with MCP", async () => {
  using installed = installExecutable();
  await using service = await checkProgram(installed);
  const answer = await fetch(`${service.url}/Api/LoadTests/shop/Summary`, {
    headers: { "X-Service-Auth": service.key },
  });
  const { endpoints } = (await answer.json()) as {
    readonly endpoints: readonly { readonly label: string; readonly count: number }[];
  };
  expect(Object.fromEntries(endpoints.map(({ label, count }) => [label, count]))).toEqual(
    Object.fromEntries(
      Object.entries(demoReport()).map(([label, { sampleCount }]) => [label, sampleCount]),
    ),
  );
});

test.runIf(isBuilt)(
  "it is unpacked once, whoever is first, and then starts within 100 ms",
  async () => {
    using installed = installExecutable();
    const first = await Promise.all(Array.from({ length: 4 }, () => installed.run(["--version"])));
    const manifest = readFileSync(path.join(REPOSITORY, "package.json"), "utf8");
    const { version } = JSON.parse(manifest) as { readonly version: string };
    for (const outcome of first) {
      expect(outcome).toMatchObject({ exitCode: 0, out: `${version}\n`, error: "" });
    }
    const unpacked = readdirSync(path.join(installed.folder, "home/.cache/tachograph"));
    expect(unpacked).toEqual([expect.stringMatching(new RegExp(`^${version}-[0-9a-f]{16}$`))]);
    const times = Array.from({ length: 5 }, () => processorMs(installed));
    expect(Math.min(...times)).toBeLessThan(VERSION_MS);
  },
);

test.runIf(isBuilt)(
  "where nothing can be written but temporary files, it leaves none",
  async () => {
    using installed = installExecutable();
    const temporary = path.join(installed.folder, "temporary");
    mkdirSync(temporary);
    const environment = { HOME: "/dev/null", TMPDIR: temporary, XDG_CACHE_HOME: "" };
    const outcome = await installed.run(["--version"], { environment });
    expect(outcome).toMatchObject({ exitCode: 0, error: "" });
    expect(readdirSync(temporary).filter((name) => name.startsWith("tachograph-"))).toEqual([]);
  },
);

/** Of `--version`. On a busy machine, processor time is more reliable than a clock. */
function processorMs({ folder, program: [executable = ""] }: InstalledProgram): number {
  const words = ["-c", '"$0" --version > /dev/null && times', executable];
  const env = { HOME: path.join(folder, "home") };
  const out = execFileSync("/bin/bash", words, { encoding: "utf8", env });
  const ofChildren = out.trim().split("\n")[1] ?? "";
  const seconds = [...ofChildren.matchAll(/0m([\d.]+)s/g)].map(([, each]) => Number(each));
  return 1000 * seconds.reduce((sum, each) => sum + each, 0);
}
