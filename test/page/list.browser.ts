import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";
import { sendLive } from "./send-live.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
  await world.import([DEMO, "--id", "other", "--name", "Other"]);
});

afterAll(() => world?.close());

async function change(id: string, members: object): Promise<void> {
  const response = await fetch(`${world.url}/Api/LoadTests/${id}`, {
    method: "PATCH",
    headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
    body: JSON.stringify(members),
  });
  expect(response.status).toBe(200);
}

test("the list is searched while typing, and leads to a run and back", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  // Before the list has loaded, no key works.
  await page.getByRole("row", { name: "Other" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("sho");
  await page.getByRole("row", { name: "Other" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?search=sho");
  const row = page.getByRole("row", { name: "Shop" });
  // Of its 9,225 requests, without transactions and sub-results.
  await row.getByText("395").waitFor();
  await expect.poll(() => row.innerText()).toMatch(/JMeter.*9,225\s+! 1\.5/s);
  await page.getByRole("link", { name: "Shop", exact: true }).click();
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  await page.goBack();
  expect(new URL(page.url()).search).toBe("?search=sho");
  await expect.poll(() => page.title()).toBe("Runs · Tachograph");
  expect(complaints).toEqual([]);
});

test("a tool can be searched for, and a search without matches says so and can be cleared", async () => {
  const { page } = await world.openWithKey("/runs?search=JMETER-");
  await page.getByRole("row", { name: "Shop" }).waitFor();
  const field = page.getByRole("combobox", { name: /^Search by/ });
  // Keys and values that the search can go on with.
  const choices = () =>
    page
      .locator("datalist option")
      .evaluateAll((all) => all.map((each) => each.getAttribute("value")));
  await field.fill("pinned:yes to");
  await expect.poll(choices).toEqual(["pinned:yes tool:"]);
  await field.fill("gatling");
  await page.getByText("No run matches.").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("row", { name: "Shop" }).waitFor();
  expect(new URL(page.url()).search).toBe("");
});

test("tags are counted over all runs, and filter the list with a URL", async () => {
  await change("shop", { tags: ["eu", "nightly"] });
  await change("other", { tags: ["eu"] });
  const { page } = await world.openWithKey("/runs");
  const tags = page.getByRole("group", { name: "Tags" });
  await tags.getByText("eu 2").waitFor();
  await tags.getByText("nightly 1").click();
  await page.getByRole("row", { name: "Other" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?tag=nightly");
  await page.getByRole("heading", { name: "Runs 1" }).waitFor();
  await page.reload();
  await tags.locator('[aria-pressed="true"]').getByText("nightly").waitFor();
});

test("at 1280 pixels ids are complete, and tags, if there are any, have a column", async () => {
  const id = "7529963082065875612";
  await world.import([DEMO, "--id", id, "--name", "Long id"]);
  await change(id, { tags: ["nightly-eu"] });
  const { page } = await world.openWithKey("/runs");
  const row = page.getByRole("row", { name: "Long id" });
  for (const cell of [row.locator(".id"), row.locator(".tags"), row.locator(".name")]) {
    const { shown, needed } = await cell.evaluate((each) => ({
      shown: each.clientWidth,
      needed: each.scrollWidth,
    }));
    expect(shown).toBeGreaterThanOrEqual(needed);
    expect(shown).toBeGreaterThan(0);
  }
  await world.command(["tests", "delete", id]);
});

test("going back from a run restores the scroll position of the list", async () => {
  const { page } = await world.openWithKey("/runs");
  await page.setViewportSize({ width: 1280, height: 200 });
  await page.getByRole("row", { name: "Shop" }).waitFor();
  const link = page.getByRole("row", { name: "Shop" }).getByRole("link").first();
  await page.evaluate(() => scrollTo(0, 40));
  await link.hover();
  const left = await page.evaluate(() => scrollY);
  expect(left).toBeGreaterThan(0);
  await link.click();
  await page.locator(".tiles").getByText("9,225").waitFor();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.goBack();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(left);
});

test("a click anywhere on a row opens its run", async () => {
  const { page } = await world.openWithKey("/runs");
  await page.getByRole("row", { name: "Shop" }).locator(".count").click();
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/t/shop");
});

test("a live run comes first, is marked as live, and shows its tool", async () => {
  await sendLive(world, "running", 30);
  const { page, complaints } = await world.openWithKey("/runs");
  const first = page.locator(".load-tests tbody tr").first();
  await first.getByRole("img", { name: "live" }).waitFor();
  await expect.poll(() => first.innerText()).toMatch(/running.*k6.*Today.*live, 30 s.*30.*0/s);
  await first.locator(".spark-end").waitFor({ state: "attached" });
  expect(complaints).toEqual([]);
});

test("pages of a long list have URLs, and the browser's Back works", async () => {
  for (let from = 0; from < 110; from += 10) {
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        fetch(`${world.url}/Api/LoadTests`, {
          method: "POST",
          headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
          body: JSON.stringify({ id: `made-${from + index}` }),
        }),
      ),
    );
  }
  const { page } = await world.openWithKey("/runs");
  await page.getByRole("heading", { name: "Runs 113" }).waitFor();
  const rows = page.locator(".load-tests tbody tr");
  await expect.poll(() => rows.count()).toBe(100);
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByRole("row", { name: "Shop" }).waitFor();
  await expect.poll(() => rows.count()).toBe(13);
  await page.reload();
  await page.getByRole("row", { name: "Shop" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Older" }).waitFor();
});

test("on a narrow screen nothing is wider than the screen, and the menu holds what does not fit", async () => {
  const { page } = await world.openWithKey("/runs", { width: 360 });
  await page.locator(".load-tests tbody tr").first().waitFor();
  const width = () => page.evaluate("document.documentElement.scrollWidth");
  await expect.poll(() => width()).toBe(360);
  const theme = page.getByRole("button", { name: "Theme: system" });
  await expect.poll(() => theme.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await theme.waitFor();
  await expect.poll(() => width()).toBe(360);
  await page.keyboard.press("Escape");
  await theme.waitFor({ state: "hidden" });
});

test("columns sort the list, with a URL, and back to the latest first", async () => {
  const { page, complaints } = await world.openWithKey("/runs?search=sh");
  const names = () => page.locator(".load-tests .name a:first-child").allInnerTexts();
  await world.command(["import", DEMO, "--id", "asher", "--name", "Asher"]);
  await page.getByRole("button", { name: "name", exact: true }).click();
  await expect.poll(names).toEqual(["Asher", "Shop"]);
  await page.getByRole("button", { name: "name ▴" }).click();
  await expect.poll(names).toEqual(["Shop", "Asher"]);
  expect(new URL(page.url()).search).toBe("?search=sh&sort=name&order=descending");
  await page.reload();
  await expect.poll(names).toEqual(["Shop", "Asher"]);
  await page.getByRole("button", { name: "started", exact: true }).click();
  expect(new URL(page.url()).search).toBe("?search=sh");
  await world.command(["tests", "delete", "asher"]);
  expect(complaints).toEqual([]);
});

test("a run is renamed, tagged, pinned and deleted in the list, by a key that may write", async () => {
  await world.import([DEMO, "--id", "draft", "--name", "Draft"]);
  await change("draft", { tags: ["eu", "old"] });
  const { page, complaints } = await world.openWithKey("/runs?search=draft");
  await page.getByRole("button", { name: "Change Draft draft" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Final");
  await page.getByLabel("Tags, separated by commas").fill("eu, release");
  await page.getByLabel("Pinned").check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: "Final" }).getByText("eu, release").waitFor();
  const shown = await fetch(`${world.url}/Api/LoadTests/draft`, {
    headers: { "X-Service-Auth": world.key },
  });
  expect(await shown.json()).toMatchObject({
    name: "Final",
    tags: ["eu", "release"],
    pinned: true,
  });
  await page.getByRole("button", { name: "Change Final draft" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete draft for good" }).click();
  await page.getByText("No run matches.").waitFor();
  const gone = await fetch(`${world.url}/Api/LoadTests/draft`, {
    headers: { "X-Service-Auth": world.key },
  });
  expect(gone.status).toBe(404);
  expect(complaints).toEqual([]);
});

test("a key that may only read changes no run", async () => {
  const key = await world.command(["keys", "create", "--name", "reader", "--scope", "read"]);
  const { page } = await world.openWithKey("/runs", { key });
  await page.locator(".load-tests tbody tr").first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: /^Change / }).count()).toBe(0);
});
