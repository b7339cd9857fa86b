/** A real browser in front of a real server with a real result. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import {
  runTachograph,
  type RunningTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

/** Debian's Chromium, unless a variable names another one. */
const CHROMIUM = process.env["TACHOGRAPH_CHROMIUM"] ?? "/usr/bin/chromium";

export interface World {
  readonly url: string;
  readonly key: string;
  /** Opens a tab that fails its test on whatever the console complains about. */
  open(options?: { readonly dark?: boolean; readonly width?: number }): Promise<Tab>;
  import(words: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface Tab {
  readonly page: Page;
  /** Errors of scripts, refusals of the policy, dialogs: to be empty at the end. */
  readonly complaints: readonly string[];
}

export async function createWorld(): Promise<World> {
  const data = mkdtempSync(path.join(tmpdir(), "tachograph-page-"));
  const scope = ["--scope", "read,write", "--data", data];
  const made = await runTachograph(["keys", "create", "--name", "page", ...scope]);
  const server = startTachograph(["serve", "--port", "0", "--data", data]);
  const greeting = await server.printed("http://");
  const url = /http:\/\/[\d.:]+/.exec(greeting)?.[0] ?? "";
  // Run by root in containers, where Chromium's own sandbox cannot be made.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  return {
    url,
    key: made.out.trim(),
    open: (options) => openTab(browser, options),
    async import(words) {
      const { exitCode, error } = await runTachograph(["import", ...words, "--data", data]);
      if (exitCode !== 0) throw new Error(error);
    },
    async close() {
      await browser.close();
      await stop(server);
      rmSync(data, { recursive: true });
    },
  };
}

async function stop(server: RunningTachograph): Promise<void> {
  server.process.kill("SIGTERM");
  await server.outcome;
}

async function openTab(
  browser: Browser,
  { dark = false, width = 1280 }: { readonly dark?: boolean; readonly width?: number } = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? "dark" : "light",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints };
}
