/// <reference lib="dom" />
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Tab, type World } from "./browser.ts";
import { storeHistory, storeNight } from "./nightly-runs.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await storeHistory(world);
  await storeNight(world, { name: "lonely", night: 0, id: "only" });
});

afterAll(() => world?.close());

async function opened(options?: Parameters<World["openWithKey"]>[1]): Promise<Tab> {
  const tab = await world.openWithKey("/trend/checkout", options);
  await tab.page.locator(".trend-charts .u-over").first().waitFor();
  return tab;
}

test.each([
  ["/trend/lonely", "There is only one run so far: changes need several."],
  ["/trend/checkout?upTo=night-2", "Too few runs"],
  ["/trend/checkout?filter=nothing", "No endpoint has any requests."],
  ["/trend/checkout?since=night-3&upTo=night-2", 'the history cannot end with run "night-2"'],
  ["/trend", "A history shows the runs of one name"],
])("%s shows: %s", async (address, text) => {
  const { page } = await world.openWithKey(address);
  await expect.poll(() => page.getByText(text).innerText()).toContain(text);
});

test.each([390, 1280])("at %d px long labels and names do not overflow", async (width) => {
  const name = "n".repeat(200);
  const label = `GET /${"long/".repeat(200)}`;
  for (const night of [0, 1]) {
    await storeNight(world, { name, night, id: `long-${night}-${width}`, label });
  }
  const { page, complaints } = await world.openWithKey("/runs", { width });
  const row = page.getByRole("row", { name }).first();
  await row.waitFor();
  // A narrow list has no links to histories.
  if (width === 390) await page.goto(`${world.url}/trend/${name}`);
  else await row.getByRole("link", { name: "history" }).click();
  await page.getByRole("heading", { name }).waitFor();
  await page.locator(".trend-endpoints .row-name").first().click();
  await page.locator(".trend-charts .chip").waitFor();
  const widthOf = () => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(() => widthOf()).toBe(width);
  expect(complaints).toEqual([]);
  await page.goto(`${world.url}/trend/${"x".repeat(500)}`);
  await page.getByRole("alert").waitFor();
  await expect.poll(() => widthOf()).toBe(width);
});

test("a name without runs and a rejected key show a message", async () => {
  const { page } = await world.openWithKey("/trend/nothing");
  const alert = page.getByRole("alert");
  await alert.getByRole("link", { name: "All runs" }).waitFor();
  await expect.poll(() => alert.innerText()).toContain("There are no runs named “nothing”");
  const key = await world.command(["keys", "create", "--name", "short", "--scope", "read"]);
  const other = await opened({ key });
  await world.command(["keys", "revoke", "short"]);
  await other.page.keyboard.press("/");
  await other.page.keyboard.type("x");
  await other.page.getByText("You are signed out.").waitFor();
});

test("the history recovers by itself after an outage, and no stale charts are shown meanwhile", async () => {
  const { page } = await opened();
  await page.route("**/Api/Trend*", (route) => route.abort());
  await page.getByLabel("Filter endpoints").fill("pay");
  await page.getByText("The server does not respond.").waitFor();
  await expect.poll(() => page.locator(".trend-charts").count()).toBe(0);
  await page.unroute("**/Api/Trend*");
  await page.getByText("1 endpoint", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
});
