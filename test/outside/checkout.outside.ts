/** A checkout in an empty folder, on a machine that has only Node 20. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTachograph } from "../support/run-tachograph.ts";
import { runCommand } from "../tools/run-command.ts";
import { installNode } from "./installed-package.ts";

const REPOSITORY = path.join(import.meta.dirname, "../..");
const TIMEOUT_MS = 300_000;

let folder = "";
let checkout = "";
let oldNode = "";
let environment: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tachograph-checkout-"));
  checkout = path.join(folder, "checkout");
  oldNode = await installNode(20);
  const rest = (process.env["PATH"] ?? "").split(path.delimiter);
  const withoutOurs = rest.filter((place) => !place.includes("node_modules"));
  environment = { PATH: [path.dirname(oldNode), ...withoutOurs].join(path.delimiter) };
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: REPOSITORY, encoding: "utf8" });
  for (const file of listed.split("\0").filter((name) => name !== "")) {
    cpSync(path.join(REPOSITORY, file), path.join(checkout, file));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an old Node is rejected with the command that helps", async () => {
  const program = [oldNode, path.join(checkout, "bin/tachograph.js")] as const;
  const { exitCode, error } = await runTachograph(["tests", "list"], { program });
  expect(exitCode).toBe(78);
  expect(error).toContain("npm ci && npx node bin/tachograph.js");
});

test(
  "npm ci --ignore-scripts && npm start serves the page on the Node that the lock file pins",
  async () => {
    const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    const log = path.join(folder, "install.log");
    await runCommand("npm", words, { cwd: checkout, log, env: environment });
    const data = path.join(folder, "data");
    const started = spawn("npm", ["start", "--", "--port", "0", "--data", data], {
      cwd: checkout,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    try {
      const url = await greeting(started.stdout);
      const page = await fetch(url);
      expect(await page.text()).toContain("<script");
    } finally {
      // Ends npm, its shell and the server.
      if (started.pid !== undefined) process.kill(-started.pid, "SIGTERM");
      await once(started, "exit");
    }
  },
  TIMEOUT_MS,
);

async function greeting(output: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const piece of output) {
    text += String(piece);
    const url = /http:\/\/[\d.:]+/.exec(text)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`npm start ended: ${text}`);
}
