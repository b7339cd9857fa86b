/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
});

afterAll(() => world?.close());

test("figures, finding and table say what the command line says", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  const tiles = page.locator(".tiles");
  await tiles.getByText("10,308").waitFor();
  expect(await tiles.innerText()).toContain("223");
  await page.getByText(/p95 rises from 293 ms to 922 ms/).waitFor();
  const row = page.locator(".endpoints tr", { hasText: "/checkout" });
  expect(await row.innerText()).toMatch(/731.*! 6.*286.*210.*766.*1\.34/s);
  expect(complaints).toEqual([]);
});

test("filter, range and selection are in the address, and everything follows them", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page.getByLabel("Filter endpoints").fill("/products");
  await page.locator(".scope").getByText("2 endpoints").waitFor();
  await page.locator(".tiles").getByText("3,118").waitFor();
  await page.locator(".endpoints tr", { hasText: "/products/{id}" }).click();
  await page.locator(".tiles").getByText("1,926").waitFor();
  const address = new URL(page.url());
  expect(address.searchParams.get("filter")).toBe("/products");
  expect(address.searchParams.get("endpoints")).toMatch(/^[0-9a-f]{40}$/);
  // Charts are drawn anew as answers come.
  await page.waitForLoadState("networkidle");
  const plot = page.locator(".u-over").first();
  const box = await plot.boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + box.width / 4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.getByText("Range", { exact: true }).waitFor();
  const { searchParams } = new URL(page.url());
  const [from, until] = [Number(searchParams.get("from")), Number(searchParams.get("until"))];
  // A quarter of 330 s, and what is left of the points at its ends, of 30 s each.
  expect(until - from).toBeGreaterThan(75);
  expect(until - from).toBeLessThan(150);
  const shared = await world.openWithKey(
    `${new URL(page.url()).pathname}${new URL(page.url()).search}`,
  );
  await shared.page.getByText("1 selected").waitFor();
  await page.waitForLoadState("networkidle");
  await shared.page.waitForLoadState("networkidle");
  expect(await shared.page.locator(".tiles").innerText()).toBe(
    await page.locator(".tiles").innerText(),
  );
});

test("keys move range and focus, select, and take off again; what is shown is saved as csv", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.locator(".u-over").first().waitFor();
  const range = () => {
    const { searchParams } = new URL(page.url());
    return [searchParams.get("from"), searchParams.get("until")];
  };
  await page.keyboard.press("+");
  const [from, until] = range().map(Number);
  expect((until as number) - (from as number)).toBe(165);
  await page.keyboard.press("ArrowRight");
  expect(range().map(Number)).toEqual([(from as number) + 41, (until as number) + 41]);
  await page.locator(".endpoints tbody tr").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("1 selected").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect((await saved).suggestedFilename()).toBe("shop.csv");
  await page.keyboard.press("Escape");
  await page.getByText("1 selected").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(range()).toEqual([null, null]);
  await page.keyboard.press("?");
  await page.getByText("whole load test").waitFor();
  expect(complaints).toEqual([]);
});

test("on a narrow screen nothing is wider than the screen", async () => {
  const { page } = await world.openWithKey("/t/shop", { width: 390 });
  await page.locator(".tiles").getByText("10,308").waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  const label = await page.locator(".endpoints tbody th").first().boundingBox();
  expect(label?.width).toBeGreaterThan(120);
});
