/// <reference lib="dom" />
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";
import { sendLive } from "./send-live.ts";

/** A page that asked less and less often would ask later than `SOON_MS` after it. */
const OUTAGE_MS = 10_000;
/** Pages ask every 1.5 s during an outage; the rest is for a busy machine. */
const SOON_MS = 5000;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop-1", "--name", "Shop"]);
  await world.import([DEMO, "--id", "shop-2", "--name", "Shop"]);
  await world.import([DEMO, "--id", "shop-3", "--name", "Shop, but another one"]);
});

afterAll(() => world?.close());

async function isTooWide(page: Page): Promise<boolean> {
  return await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
}

test("revoking a key while a page is open leads to the login", async () => {
  const key = await world.command(["keys", "create", "--name", "short"]);
  const { page } = await world.openWithKey("/t/shop-1", { key });
  await page.locator(".tiles").getByText("9,225").waitFor();
  // Only requests after the revocation may be rejected.
  await page.waitForLoadState("networkidle");
  await world.command(["keys", "revoke", "short"]);
  await page.getByLabel("Filter endpoints").fill("/cart");
  await page.getByRole("heading", { name: "This page needs a key" }).waitFor();
  await page.getByText("You are signed out.").waitFor();
  await page.fill("#key", world.key);
  await page.keyboard.press("Enter");
  // The URL still identifies the same view.
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  expect(new URL(page.url()).searchParams.get("filter")).toBe("/cart");
});

test("unknown and revoked keys get the same message", async () => {
  const revoked = await world.command(["keys", "create", "--name", "gone"]);
  await world.command(["keys", "revoke", "gone"]);
  const { page } = await world.open();
  await page.goto(`${world.url}/`);
  const said: string[] = [];
  for (const key of [`tgk_${"x".repeat(36)}`, revoked]) {
    await page.fill("#key", key);
    await page.keyboard.press("Enter");
    await page.locator("#complaint").getByText("unknown or was revoked").waitFor();
    said.push(await page.locator("main").innerText());
    await page.reload();
  }
  expect(said[0]).toBe(said[1]);
});

test("a deleted run leads to the others of its name", async () => {
  const { page } = await world.openWithKey("/t/shop-1");
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  // A request in flight could find the load test deleted and reset the filter.
  await page.waitForLoadState("networkidle");
  await world.command(["tests", "delete", "shop-1"]);
  await page.getByLabel("Filter endpoints").fill("/cart");
  await page.getByRole("heading", { name: "There is no run “shop-1”" }).waitFor();
  await page.reload();
  await page.getByText("It was deleted, or the URL is wrong.").waitFor();
  const others = page.getByRole("table", { name: "Runs with the same name" });
  await others.waitFor();
  await expect.poll(() => others.getByRole("row").count()).toBe(1);
  await others.getByRole("link", { name: "Shop" }).click();
  await page.getByText("shop-2").waitFor();
});

test("a mistyped URL shows an error and leads to all runs", async () => {
  const { page } = await world.openWithKey("/t/no%20such", { width: 390, dark: true });
  await page.getByRole("heading", { name: "There is no run “no such”" }).waitFor();
  await expect.poll(() => isTooWide(page)).toBe(false);
  await expect.poll(() => page.getByRole("table").count()).toBe(0);
  await page.getByRole("link", { name: "All runs" }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
});

test("a range without requests says so", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop-2?from=100&until=200");
  await page.getByText("There are no requests in this range.").waitFor();
  await page.goto(`${world.url}/t/shop-2?filter=/logo&outcome=failed`);
  await page.getByText("No requests failed in this range.").waitFor();
  expect(complaints).toEqual([]);
});

test("a filter that differs only in letter case is offered corrected", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop-2", { width: 390 });
  const field = page.getByLabel("Filter endpoints");
  await field.fill("/Products");
  await page.getByText("No endpoint contains /Products. The filter is case-sensitive.").waitFor();
  await expect.poll(() => isTooWide(page)).toBe(false);
  const tiles = page.locator(".tiles dd");
  await expect.poll(async () => new Set(await tiles.allTextContents())).toEqual(new Set(["–"]));
  await page.getByRole("button", { name: "Use /products, 2 endpoints" }).click();
  await page.locator(".tiles").getByText("3,118").waitFor();
  await expect.poll(() => field.inputValue()).toBe("/products");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await field.fill("nothing like it");
  await page.getByText("No endpoint contains nothing like it.").waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Use / }).count()).toBe(0);
  await page.getByRole("button", { name: "Clear filter" }).click();
  await page.locator(".tiles").getByText("9,225").waitFor();
  expect(complaints).toEqual([]);
});

test("during an outage the view stays, and it recovers silently", async () => {
  await sendLive(world, "live", 120);
  const { page } = await world.openWithKey("/t/live?last=60");
  await page.locator(".tiles").getByText("60", { exact: true }).waitFor();
  // Only the service is unreachable; the browser stays online and fires no event when it is back.
  await page.route("**/Api/**", (route) => route.abort("connectionrefused"));
  const notice = page.getByRole("alert").getByText("The server does not respond.");
  await notice.waitFor();
  await page.getByText(/^as of \d\d:\d\d:\d\d$/).waitFor();
  await expect.poll(() => page.locator(".tiles").innerText()).toContain("60");
  await expect.poll(() => page.getByRole("heading", { name: "live" }).count()).toBe(1);
  await expect.poll(() => page.locator(".problem").count()).toBe(0);
  await page.unroute("**/Api/**");
  await notice.waitFor({ state: "detached", timeout: SOON_MS });
  const before = await page.locator(".chip").first().innerText();
  await sendLive(world, "live", 1);
  await expect
    .poll(() => page.locator(".chip").first().innerText(), { timeout: 10_000 })
    .not.toBe(before);
});

test.each([
  [
    "the network",
    async (page: Page) => {
      await page.context().setOffline(true);
      return () => page.context().setOffline(false);
    },
  ],
  ["the server", () => world.stopServer()],
])(
  "changes during an outage of %s appear soon after its return, without a click",
  async (_, leave) => {
    const { page } = await world.openWithKey("/t/shop-3", { key: world.key });
    await page.locator(".tiles").getByText("9,225").waitFor();
    await page.locator(".endpoints tbody .spark-line").first().waitFor({ state: "attached" });
    await page.waitForLoadState("networkidle");
    const topOfTiles = async () => (await page.locator(".tiles").boundingBox())?.y;
    const before = await topOfTiles();
    const comeBack = await leave(page);
    const sparklines = page.locator(".endpoints tbody .spark-line");
    await page.getByLabel("Filter endpoints").fill("/cart");
    await page.getByText("The server does not respond.").waitFor();
    await expect.poll(() => topOfTiles()).toBe(before);
    await page.waitForTimeout(OUTAGE_MS);
    await expect.poll(() => page.getByText("The server does not respond.").count()).toBe(1);
    await comeBack();
    // POST /cart has 733 requests. Its charts, failures and sparklines come with it.
    await page.locator(".tiles").getByText("733", { exact: true }).waitFor({ timeout: SOON_MS });
    await page.locator('main[class=""]').waitFor({ timeout: SOON_MS });
    await expect.poll(() => sparklines.count()).toBeGreaterThan(0);
    await page.getByText("The server does not respond.").waitFor({ state: "detached" });
  },
);

test("a list that was loaded before appears at once", async () => {
  const { page } = await world.openWithKey("/runs");
  await page.getByRole("link", { name: "Shop, but another one" }).click();
  await page.locator(".tiles").getByText("9,225").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route(/Api\/LoadTests\?/, async (route) => {
    await held.promise;
    await route.abort();
  });
  await page.goBack();
  const link = page.getByRole("link", { name: "Shop, but another one" });
  await expect.poll(() => link.isVisible(), { timeout: 1000 }).toBe(true);
  held.resolve();
});

test("results of the previous filter fade until the response arrives", async () => {
  const { page } = await world.openWithKey("/t/shop-3", { key: world.key });
  await page.locator(".tiles").getByText("9,225").waitFor();
  await page.waitForLoadState("networkidle");
  const opacityOf = (part: string) =>
    page
      .locator(part)
      .first()
      .evaluate((element) => Number(getComputedStyle(element).opacity));
  await expect.poll(() => opacityOf(".charts")).toBe(1);
  const held = Promise.withResolvers<void>();
  await page.route(/Percentiles\?filter=/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByLabel("Filter endpoints").fill("/cart");
  await expect.poll(() => opacityOf(".charts")).toBeCloseTo(0.35);
  await expect.poll(() => opacityOf(".tiles")).toBe(1);
  held.resolve();
  await expect.poll(() => opacityOf(".charts")).toBe(1);
});

test("without failures no line is named failed", async () => {
  const { page } = await world.openWithKey(`/t/shop-3?filter=${encodeURIComponent("GET /images")}`);
  const names = page.locator(".line-names button");
  await names.getByText("requests").waitFor();
  await expect.poll(() => names.getByText("failed").count()).toBe(0);
  // 45 of POST /cart failed.
  await page.getByLabel("Filter endpoints").fill("POST /cart");
  await names.getByText("failed").waitFor();
});

test("on a narrow screen the names of lines leave room for the image buttons", async () => {
  const { page } = await world.openWithKey("/t/shop-3", { width: 390 });
  const lastName = page.locator(".line-names button").getByText("p50");
  await lastName.waitFor();
  const [name, save] = await Promise.all([
    lastName.boundingBox(),
    page.getByRole("button", { name: "Save Response time as PNG" }).boundingBox(),
  ]);
  expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThanOrEqual(save?.x ?? 0);
});

test("a click on the failed requests leads to the failures", async () => {
  const { page } = await world.openWithKey("/t/shop-3");
  // What is drawn above the failures later moves them.
  await page.waitForLoadState("networkidle");
  await page.locator(".tiles").getByRole("button", { name: "139 1.5 %" }).click();
  const heading = page.getByRole("heading", { name: /^Failures/ });
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(720);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-labelledby"))).toBe(
    "failures",
  );
});
