/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "demo", "--name", "Web shop"]);
}, 60_000);

afterAll(() => world?.close());

/** How far the chart of response times is beyond the window, in pixels; 0: all of it is within. */
function beyond(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { top = -1, bottom = 1e6 } =
      document.querySelector(".charts .plot")?.getBoundingClientRect() ?? {};
    const bar = document.querySelector(".scope")?.getBoundingClientRect().bottom ?? 0;
    // Names of endpoints are above the plot on a phone, and the bar may end below that line.
    return Math.max(0, Math.min(bar, 0) - top, bottom - innerHeight);
  });
}

test.each([
  [1440, 900],
  [1024, 768],
  [390, 844],
])("at %d × %d the chart stays in the window, whatever is clicked", async (width, height) => {
  const { page, complaints } = await world.openWithKey("/t/demo?rows=all", { width });
  await page.setViewportSize({ width, height });
  const finding = page.getByRole("list", { name: "Findings" }).getByRole("button").first();
  await finding.waitFor();
  await page.waitForLoadState("networkidle");
  await finding.click();
  await page.locator("section.incident .measures").waitFor();
  await expect.poll(() => beyond(page)).toBe(0);
  await page.goto(`${world.url}/t/demo?rows=all`);
  const rows = page.locator(".endpoints tbody tr.row");
  await rows.first().waitFor();
  await page.waitForLoadState("networkidle");
  await rows.last().scrollIntoViewIfNeeded();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  // Before a row is chosen, for the line of the row under the pointer, and after.
  await expect.poll(() => beyond(page)).toBe(0);
  const before = await page.evaluate(() => scrollY);
  await rows.last().click();
  await page.getByText("1 endpoint selected").waitFor();
  await page.waitForLoadState("networkidle");
  await expect.poll(() => beyond(page)).toBe(0);
  // The row that was clicked is still there.
  expect(before).toBeGreaterThan(0);
  const row = await rows.last().boundingBox();
  expect(row?.y).toBeGreaterThan(0);
  expect(row?.y).toBeLessThan(height);
  const plot = await page.locator(".charts .plot").first().boundingBox();
  if (plot === null) throw new Error("no chart");
  await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
  await expect.poll(() => new URL(page.url()).searchParams.has("at")).toBe(true);
  await expect.poll(() => beyond(page)).toBe(0);
  expect(complaints).toEqual([]);
});
