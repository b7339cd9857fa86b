import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";
import { preview, type PreviewServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM } from "./browser.ts";

const root = path.join(import.meta.dirname, "../..");

let site: PreviewServer;
let url: string;
let browser: Browser;

beforeAll(async () => {
  if (!existsSync(path.join(root, "build/site/dist/index.html"))) {
    execFileSync("npm", ["run", "docs"], { cwd: root });
  }
  site = await preview({
    root: path.join(root, "build/site"),
    configFile: false,
    preview: { port: 0, host: "127.0.0.1" },
  });
  url = site.resolvedUrls?.local[0] ?? "";
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

test("the search of the documentation finds a page without the internet", async () => {
  const page = await browser.newPage();
  const outside: string[] = [];
  await page.route(
    (address) => !address.href.startsWith(url),
    (route) => {
      outside.push(route.request().url());
      return route.abort("internetdisconnected");
    },
  );
  await page.goto(url);
  const box = page.getByRole("searchbox");
  // No key works until the page's script runs.
  await expect
    .poll(async () => {
      await page.keyboard.press("Control+k");
      return box.isVisible();
    })
    .toBe(true);
  await box.fill("which run introduced a change");
  await page.getByRole("option").filter({ hasText: "Trends" }).first().click();
  await page.waitForURL(/\/trend\.html/);
  await page.getByRole("heading", { level: 1, name: /Trends/ }).waitFor();
  expect(outside).toEqual([]);
});
