/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { boxOf } from "./plots.ts";

const STARTED_AT = 1_790_000_000;
const SECONDS = 200;
const [LOW_MS, HIGH_MS] = [20, 3000];
let world: World;

/**
 * Each second has 20 requests of `GET /` in 20 ms and 10 of `GET /cart` in 60 ms. In the seconds 100 to 119 each
 * also has 5 of `GET /cart` in 3 s, one of which fails, and a quick failure of `GET /`.
 */
function writeSlow(file: string): void {
  const rows = ["timeStamp,elapsed,label,responseCode,responseMessage,success,bytes"];
  for (let second = 0; second < SECONDS; second++) {
    const at = (STARTED_AT + second) * 1000;
    const add = (times: number, ms: number, label: string, code = 200): void => {
      const row = `${at},${ms},${label},${code},,${code === 200},100`;
      for (let each = 0; each < times; each++) rows.push(row);
    };
    add(20, LOW_MS, "GET /");
    add(10, 60, "GET /cart");
    if (second < 100 || second >= 120) continue;
    add(4, HIGH_MS, "GET /cart");
    add(1, HIGH_MS, "GET /cart", 504);
    add(1, LOW_MS, "GET /", 503);
  }
  writeFileSync(file, `${rows.join("\n")}\n`);
}

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-box-"));
  try {
    const file = path.join(folder, "slow.jtl");
    writeSlow(file);
    await world.import([file, "--id", "slow"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

afterAll(() => world?.close());

/** The heatmap when nothing above it moves any more. */
async function opened() {
  const tab = await world.openWithKey("/t/slow?view=heatmap");
  await tab.page.locator(".ramp-key").waitFor();
  await tab.page.getByRole("list", { name: "Most frequent failures" }).waitFor();
  await tab.page.waitForLoadState("networkidle");
  return tab;
}

/** The place of a second and a share of the height, from the top, in the heatmap. */
async function placeOf(page: Page, second: number, down: number) {
  const { x, y, width, height } = await boxOf(page.locator(".u-over").first());
  return { x: x + (second / SECONDS) * width, y: y + down * height };
}

async function dragBox(page: Page): Promise<void> {
  // The axis reaches from 20 ms to 3 s and a little further: above 60 ms only the slow ones are.
  const [from, to] = [await placeOf(page, 95.5, 0.01), await placeOf(page, 110.5, 0.4)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}

const panel = (page: Page) => page.locator("section.box");

const rowsOf = async (page: Page) =>
  (await panel(page).locator("tbody tr").allInnerTexts()).map((text) => text.split(/\s*\t\s*/));

test("a box dragged in the heatmap names the endpoints and failures in it", async () => {
  const { page, complaints } = await opened();
  await dragBox(page);
  // Columns of 5 s: 95 to 115, of which 100 to 115 have 75 slow requests of 15 x 5.
  await expect
    .poll(() => panel(page).locator("h2").innerText())
    .toMatch(/75 of 690 requests \(11 %\), 15 failed$/);
  await expect.poll(() => rowsOf(page)).toEqual([["GET /cart", "75", "100 %", "27 %", "15"]]);
  const failures = await panel(page).getByText("Failed in these seconds").innerText();
  expect(failures).toContain("15 × 503 on GET /");
  expect(failures).toContain("15 × 504 on GET /cart");
  const box = new URL(page.url()).searchParams.get("box") ?? "";
  expect(box).toMatch(new RegExp(`^${STARTED_AT + 95}-${STARTED_AT + 115},`));

  await page.reload();
  await expect.poll(() => rowsOf(page)).toEqual([["GET /cart", "75", "100 %", "27 %", "15"]]);
  await panel(page).getByRole("button", { name: "GET /cart" }).click();
  await page.locator(".endpoints .selected").waitFor();
  await panel(page).getByRole("button", { name: "GET /cart" }).click();
  await page.locator("body").press("Escape");
  await expect.poll(() => panel(page).count()).toBe(0);
  expect(new URL(page.url()).searchParams.has("box")).toBe(false);
  expect(complaints).toEqual([]);
});

test("a flat drag zooms, and a click takes one cell", async () => {
  const { page } = await opened();
  const slow = await placeOf(page, 102, 0.06);
  await page.mouse.click(slow.x, slow.y);
  await panel(page).waitFor();
  const [from, to] = [await placeOf(page, 81, 0.5), await placeOf(page, 131, 0.52)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await expect
    .poll(() => new URL(page.url()).searchParams.get("from"))
    .toBe(String(STARTED_AT + 80));
  expect(new URL(page.url()).searchParams.get("box")).toMatch(/^1790000100-1790000105,/);
});

test("keys choose a column, and fields its response times", async () => {
  const { page } = await opened();
  const chart = page.getByRole("slider", { name: /Distribution/ });
  await chart.press("Home");
  for (let column = 0; column < 20; column++) await chart.press("ArrowRight");
  await chart.press("Enter");
  await expect
    .poll(() => rowsOf(page))
    .toEqual([
      ["GET /", "105", "58 %", "100 %", "5"],
      ["GET /cart", "75", "42 %", "100 %", "5"],
    ]);
  await panel(page).getByLabel("from").fill("1000");
  await panel(page).getByLabel("from").press("Enter");
  await expect.poll(() => rowsOf(page)).toEqual([["GET /cart", "25", "100 %", "33 %", "5"]]);
  await panel(page).getByLabel(/^to/).fill("2000");
  await panel(page).getByLabel(/^to/).press("Enter");
  await panel(page).getByText("No request is in this box.").waitFor();
});

test("the other requests are left out of the box of those that passed", async () => {
  const box = `${STARTED_AT + 100}-${STARTED_AT + 120},1-`;
  const { page } = await world.openWithKey(`/t/slow?view=heatmap&outcome=passed&box=${box}`);
  await expect.poll(() => rowsOf(page)).toEqual([["GET /cart", "80", "100 %", "29 %", "0"]]);
});
