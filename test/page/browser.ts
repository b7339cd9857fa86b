/** A real browser and a real server with a real result. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium, type Cookie, type Page } from "playwright-core";
import {
  runTachograph,
  type RunningTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";

/** Debian's Chromium, unless the variable names another one. */
export const CHROMIUM = process.env["TACHOGRAPH_CHROMIUM"] ?? "/usr/bin/chromium";

/** A small shop, 5 min 30 s: 9,225 requests, 352 redirect hops and 731 transactions over them. */
export const DEMO = path.join(import.meta.dirname, "../../examples/demo/shop.jtl.gz");

interface TabOptions {
  readonly dark?: boolean;
  readonly width?: number;
  /** A touch screen, without hover. */
  readonly isTouched?: boolean;
  /** The key to log in with. @default one that may read and write */
  readonly key?: string;
  /** IANA zone of the viewer. @default that of the machine */
  readonly timeZone?: string;
}

export interface World {
  readonly url: string;
  readonly key: string;
  /** Opens a tab that fails its test on any console error. */
  open(options?: TabOptions): Promise<Tab>;
  /** Opens this path and query in a tab that is logged in; tabs with the same key share a session. */
  openWithKey(address: string, options?: TabOptions): Promise<Tab>;
  import(words: readonly string[]): Promise<void>;
  /** Runs a command on the same data and returns its output. */
  command(words: readonly string[]): Promise<string>;
  /** Stops the server. The function returned restarts it at the same address. */
  stopServer(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface Tab {
  readonly page: Page;
  /** Script errors, CSP violations, dialogs; must be empty at the end. */
  readonly complaints: readonly string[];
}

export async function createWorld(): Promise<World> {
  const data = mkdtempSync(path.join(tmpdir(), "tachograph-page-"));
  const scope = ["--scope", "read,write", "--data", data];
  const made = await runTachograph(["keys", "create", "--name", "page", ...scope]);
  let server = startTachograph(["serve", "--port", "0", "--data", data]);
  const greeting = await server.printed("http://");
  const url = /http:\/\/[\d.:]+/.exec(greeting)?.[0] ?? "";
  // In containers root runs it, and then Chromium's own sandbox does not work.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  const key = made.out.trim();
  const sessions = new Map<string, readonly Cookie[]>();
  const command = async (words: readonly string[]): Promise<string> => {
    const { exitCode, out, error } = await runTachograph([...words, "--data", data]);
    if (exitCode !== 0) throw new Error(error);
    return out.trim();
  };
  return {
    url,
    key,
    open: (options) => openTab(browser, options),
    async openWithKey(address, options = {}) {
      const { key: used = key } = options;
      const tab = await openTab(browser, options);
      const session = sessions.get(used);
      if (session !== undefined) {
        await tab.page.context().addCookies(session);
        // As from a link that signs in.
        await tab.page.goto(`${url}${address}#signed-in`);
        return tab;
      }
      await tab.page.goto(`${url}/`);
      await tab.page.fill("#key", used);
      await tab.page.keyboard.press("Enter");
      await tab.page.locator("#key").waitFor({ state: "detached" });
      sessions.set(used, await tab.page.context().cookies());
      if (address !== "/") await tab.page.goto(`${url}${address}`);
      return tab;
    },
    async import(words) {
      await command(["import", ...words]);
    },
    command,
    async stopServer() {
      await stop(server);
      return async () => {
        server = startTachograph(["serve", "--port", new URL(url).port, "--data", data]);
        await server.printed("http://");
      };
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
  { dark = false, width = 1280, isTouched = false, timeZone }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? "dark" : "light",
    hasTouch: isTouched,
    isMobile: isTouched,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
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
