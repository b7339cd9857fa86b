/// <reference lib="dom" />
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;
let folder: string;
/** UNIX second of the first request. */
let from: number;

beforeAll(async () => {
  world = await createWorld();
  folder = mkdtempSync(path.join(tmpdir(), "tachograph-events-"));
  await world.import([DEMO, "--id", "shop"]);
  const shown = await fetch(`${world.url}/Api/LoadTests/shop`, {
    headers: { "X-Service-Auth": world.key },
  });
  ({ from } = (await shown.json()) as { readonly from: number });
  for (const [after, text] of [
    [60, "deployed 1.4"],
    [120, "<b>failover</b> of the database"],
  ] as const) {
    const at = new Date((from + after) * 1000).toISOString();
    const { status } = await fetch(`${world.url}/Api/LoadTests/shop/Events`, {
      method: "POST",
      headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
      body: JSON.stringify({ at, text }),
    });
    if (status >= 300) throw new Error(`event: ${status}`);
  }
  await world.import([DEMO, "--id", "again"]);
}, 60_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

const TEXTS = ["deployed 1.4", "<b>failover</b> of the database"];

test("events are flags in every chart, and listed with their time", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop?clock=utc");
  const items = page.getByRole("region", { name: "Events" }).getByRole("listitem");
  await expect.poll(() => items.count()).toBe(2);
  const times = [60, 120].map((after) =>
    new Date((from + after) * 1000).toISOString().slice(11, 19),
  );
  await expect
    .poll(async () => (await items.allInnerTexts()).map((text) => text.split("\n")))
    .toEqual(TEXTS.map((text, at) => [times[at], text, "page", "Edit"]));
  // The keyboard cursor reads the flag out.
  const chart = page.getByRole("slider", { name: /^Response time/ });
  await chart.focus();
  await expect
    .poll(async () => {
      await page.keyboard.press("ArrowRight");
      return chart.getAttribute("aria-valuetext");
    })
    .toContain("deployed 1.4");
  // Its time in the list shows the minutes around it.
  await items
    .first()
    .getByRole("button", { name: times[0] ?? "", exact: true })
    .click();
  await expect.poll(() => new URL(page.url()).searchParams.get("until")).toBe(`${from + 60 + 150}`);
  expect(complaints).toEqual([]);
});

test("only events of the range are listed, and reports have them", async () => {
  const { page } = await world.openWithKey(`/t/shop?from=${from}&until=${from + 90}`);
  const items = page.getByRole("region", { name: "Events" }).getByRole("listitem");
  await expect.poll(() => items.count()).toBe(1);
  const file = path.join(folder, "report.html");
  await world.command(["report", "shop", "-o", file]);
  const report = await world.open();
  await report.page.goto(pathToFileURL(file).href);
  await report.page.getByText("deployed 1.4").waitFor();
  expect(report.complaints).toEqual([]);
});

test("a click on the chart leads to a note, which is edited and deleted", async () => {
  const { page, complaints } = await world.openWithKey(
    `/t/shop?clock=utc&from=${from}&until=${from + 100}`,
  );
  const plot = page.getByRole("slider", { name: /^Response time/ }).locator(".u-over");
  const events = page.getByRole("region", { name: "Events" });
  await events.waitFor();
  const { width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
  // 100 s are shown: the middle is second 50.
  await plot.click({ position: { x: Math.round(width / 2), y: height / 2 } });
  const bar = page.getByRole("region", { name: "Note" });
  // The run has single requests: their panel comes first.
  await page.getByRole("button", { name: "Write a note" }).click();
  const at = (after: number) => new Date((from + after) * 1000).toISOString().slice(11, 19);
  const shown = await bar.getByText(/^Note at /).innerText();
  expect([at(49), at(50)].map((time) => `Note at ${time}`)).toContain(shown.trim());
  await page.keyboard.type("warm-up ends");
  await bar.getByRole("checkbox", { name: `${at(0)} to ${at(100)}` }).check();
  await page.keyboard.press("Tab");
  await bar.getByRole("button", { name: "Add note" }).click();
  const item = events.getByRole("listitem").filter({ hasText: "warm-up ends" });
  await item.waitFor();
  expect((await item.innerText()).split("\n")[0]).toBe(`${at(0)} to ${at(100)}`);
  await item.getByRole("button", { name: "Edit warm-up ends" }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("warm-up over");
  await page.keyboard.press("Enter");
  const edited = events.getByRole("listitem").filter({ hasText: "warm-up over" });
  await edited.waitFor();
  expect(await item.count()).toBe(0);
  await edited.getByRole("button", { name: /^Edit/ }).click();
  await bar.getByRole("button", { name: "Delete" }).click();
  await edited.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("a note about the selected endpoint is in its list, and in the incident's Markdown", async () => {
  const place = ["--at", String(from + 151), "--endpoint", "GET /search"];
  await world.command(["events", "add", "shop", "index rebuilt", ...place]);
  const { page } = await world.openWithKey(`/t/shop?incident=${from + 150}-${from + 200}`);
  await page.getByText("GET /search: index rebuilt").first().waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = async (text) => {
      document.title = text;
    };
  });
  await page.getByRole("button", { name: "Copy Markdown" }).click();
  await expect.poll(() => page.title()).toContain("GET /search: index rebuilt`");
});

test("a key that may only read writes no notes", async () => {
  const key = await world.command(["keys", "create", "--name", "reads", "--scope", "read"]);
  const { page } = await world.openWithKey("/t/shop", { key });
  await page.getByRole("region", { name: "Events" }).waitFor();
  expect(await page.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
  await page
    .getByRole("slider", { name: /^Response time/ })
    .locator(".u-over")
    .click();
  // A chart waits 300 ms for a second click.
  await page.waitForTimeout(600);
  expect(await page.getByRole("region", { name: "Note" }).count()).toBe(0);
});

test("a comparison shows the events of both since their starts", async () => {
  const { page, complaints } = await world.openWithKey("/compare/shop/shop");
  const chart = page.getByRole("slider", { name: /p95 response time of both runs/ });
  await chart.focus();
  await expect
    .poll(async () => {
      await page.keyboard.press("ArrowRight");
      return (await chart.getAttribute("aria-valuetext")) ?? "";
    })
    .toMatch(/base: deployed 1\.4.*deployed 1\.4/);
  // Several runs have no range that a click on an event could set.
  await page.goto(`${world.url}/compare?runs=shop,again`);
  const items = page.getByRole("region", { name: "Events" }).getByRole("listitem");
  await expect.poll(() => items.first().innerText()).toMatch(/^1 min\s+1: deployed 1\.4/);
  expect(await items.getByRole("button").count()).toBe(0);
  expect(complaints).toEqual([]);
});
