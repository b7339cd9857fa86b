/// <reference lib="dom" />
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../hostile-labels/texts.ts";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;
const folder = mkdtempSync(path.join(tmpdir(), "tachograph-hostile-"));
const FIRST = Date.parse("2026-11-21T10:19:01Z");
/** As many as there is room for, in descriptions of 10 KB without other control characters. */
const DESCRIPTION = HOSTILE_TEXTS.filter((text) => !/(?![\n\r\t])\p{Cc}/u.test(text))
  .filter((_, index) => index % 6 === 0)
  .join("\n\n")
  .slice(0, 9000)
  .toWellFormed();

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop"]);
  const ask = async (target: string, method: string, body: object) => {
    const { status } = await fetch(`${world.url}/Api/LoadTests/shop${target}`, {
      method,
      headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (status >= 300) throw new Error(`${target}: ${status}`);
  };
  await ask("", "PATCH", { description: DESCRIPTION, properties: { text: "<b>=1+1\u202e" } });
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    if (index % 50 === 0) {
      const name = HOSTILE_TEXTS.slice(index, index + 50)
        .join(" ")
        .slice(0, 1000);
      await ask(`/Files?name=${encodeURIComponent(name.toWellFormed())}`, "POST", {});
    }
    const at = new Date(FIRST + index * 300).toISOString();
    await ask("/Events", "POST", { at, text, endpoint: text });
  }
}, 180_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

test("a thousand hostile notes and a hostile description run and load nothing, in a report, too", async () => {
  const file = path.join(folder, "report.html");
  await world.command(["report", "shop", "-o", file]);
  const { page, complaints } = await world.openWithKey("/t/shop");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  for (const address of [page.url(), pathToFileURL(file).href]) {
    await page.goto(address);
    await page.getByRole("button", { name: "All 1000" }).click();
    const items = page.getByRole("region", { name: "Events" }).getByRole("listitem");
    await expect.poll(() => items.count()).toBe(1000);
    await page.locator(".description").getByRole("button", { name: "More" }).click();
    const strange = page.locator("main :is(img, iframe, base, style, object, script)");
    expect(await strange.count()).toBe(0);
    const links = await page
      .locator(".markdown a")
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).protocol));
    expect(new Set(links)).toEqual(new Set(["https:"]));
    expect(await page.evaluate(() => getComputedStyle(document.body).display)).toBe("block");
  }
  expect(asked.filter((url) => /invalid|evil/.test(new URL(url).host))).toEqual([]);
  expect(complaints).toEqual([]);
}, 120_000);

test("a thousand hostile names of files are text", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.getByRole("button", { name: "Files…" }).click();
  const files = page.getByRole("list", { name: "Files" }).getByRole("listitem");
  await expect.poll(() => files.count()).toBe(20);
  expect(await files.locator(":is(img, iframe, script, a)").count()).toBe(0);
  expect(await files.locator("bdi").first().textContent()).toContain(HOSTILE_TEXTS[0]);
  expect(complaints).toEqual([]);
});
