/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

/** JMeter's own report of the recording: 9,577 requests and redirect hops, 352 of them hops. */
const REQUESTS = "9,225";
const TRANSACTIONS = "731";
const WITHOUT = "without 1 transaction and 2 sub-results";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  for (const id of ["shop", "again"]) await world.import([DEMO, "--id", id, "--name", id]);
});

afterAll(() => world?.close());

function requestsTile(page: Page) {
  return page.locator(".tiles > div", { has: page.getByText("requests", { exact: true }) });
}

function row(page: Page, label: string) {
  return page.locator(".endpoints tbody tr", { has: page.locator(`th[title="${label}"]`) });
}

test("tiles count requests, and say what they leave out", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  const tile = requestsTile(page);
  await tile.getByText(REQUESTS).waitFor();
  const titles = await page
    .locator(".tiles > div")
    .evaluateAll((all) => all.map((each) => each.getAttribute("title") ?? ""));
  expect(titles.length).toBeGreaterThan(5);
  expect(titles.every((title) => title.endsWith(`; ${WITHOUT}`))).toBe(true);
  expect(complaints).toEqual([]);
});

test("rows of transactions and sub-results are labelled, and count when selected", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  const buy = row(page, "Buy a product");
  await buy.waitFor();
  await expect.poll(() => buy.locator(".role").textContent()).toBe("transaction");
  const hop = row(page, "GET /shop (redirect)-0");
  await expect.poll(() => hop.locator(".role").textContent()).toBe("sub-result");
  await expect.poll(() => row(page, "GET /shop (redirect)").locator(".role").count()).toBe(0);
  await buy.click();
  await requestsTile(page).getByText(TRANSACTIONS).waitFor();
  const title = await requestsTile(page).getAttribute("title");
  expect(title).toContain("; includes transactions or sub-results");
  expect(complaints).toEqual([]);
});

test("the marking stays visible where a narrow window leaves little of the label", async () => {
  const { page } = await world.openWithKey("/t/shop", { width: 390 });
  const word = row(page, "GET /shop (redirect)-0").locator(".role");
  await word.waitFor();
  const isWhole = await word.evaluate((element) => {
    const cell = element.closest("th")?.getBoundingClientRect();
    const own = element.getBoundingClientRect();
    return cell !== undefined && own.width > 0 && own.right <= cell.right;
  });
  expect(isWhole).toBe(true);
});

test("the list and a comparison have the same counts", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  const listed = page.locator("tr[data-load-test=shop] .count");
  await page.locator(`tr[data-load-test=shop] .count[title="${REQUESTS}"]`).waitFor();
  await expect.poll(() => listed.getAttribute("title")).toBe(REQUESTS);
  await page.goto(`${world.url}/compare/shop/again`);
  const tile = page.locator(".tiles.compared");
  await tile.getByText(REQUESTS).first().waitFor();
  await expect.poll(() => tile.getAttribute("title")).toBe(`All figures are ${WITHOUT}`);
  await expect
    .poll(() => row(page, "Buy a product (transaction)").locator(".role").count())
    .toBe(1);
  expect(complaints).toEqual([]);
});
