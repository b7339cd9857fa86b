/// <reference lib="dom" />
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

const FIXTURES = path.join(import.meta.dirname, "../fixtures");

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([`${FIXTURES}/k6-facets/gen-k6-1.8.1-k6.csv.gz`, "--id", "groups"]);
  await world.import([
    `${FIXTURES}/hey/gen-hey-0.1.5-ok.csv.gz`,
    "--id",
    "none",
    "--started-at",
    "1790000040",
  ]);
}, 120_000);
afterAll(() => world?.close());

test("endpoints are listed below their groups, and the address opens the tree again", async () => {
  const { page, complaints } = await world.openWithKey("/t/groups?sort=label");
  await page.getByRole("button", { name: "Tree" }).click();
  const rows = page.locator(".endpoints tbody :is(.row, .parent)");
  const shown = () => rows.locator("th .full, td.count").allInnerTexts();
  // Of k6's own lines of http_req_duration: 30 for each of the three requests of browse, 14 of buy.
  const want = [
    ["::Catalogue", "30"],
    ["products", "30"],
    ["::Catalogue::Détail, 商品", "30"],
    ["missing", "30"],
    ["::Checkout", "28"],
    ["home", "14"],
    ["pay", "14"],
    ["home", "35"],
  ];
  await expect.poll(shown).toEqual(want.flat());
  await page.getByRole("slider", { name: "Response time over time: p99, p95" }).waitFor();
  await rows.nth(3).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".row.selected th .full").innerText()).toBe("home");
  await page.goto(page.url());
  await expect.poll(shown).toEqual(want.flat());
  await page.getByRole("button", { name: "Tree" }).click();
  await expect.poll(() => rows.count()).toBe(4);
  expect(complaints).toEqual([]);
});

test("without groups or transactions there is no switch", async () => {
  const { page } = await world.openWithKey("/t/none");
  await page.locator(".endpoints .spark").first().waitFor();
  expect(await page.getByRole("button", { name: "Tree" }).count()).toBe(0);
});
