/// <reference lib="dom" />
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
});

afterAll(() => world?.close());

test("statistics, anomalies and table agree with the command line", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  const tiles = page.locator(".tiles");
  await tiles.getByText("9,225").waitFor();
  await expect.poll(() => tiles.innerText()).toContain("139");
  await page.getByText(/p95 rises from 233 ms to 840 ms/).waitFor();
  const row = page.locator(".endpoints tr", { hasText: "/checkout" });
  await expect.poll(() => row.innerText()).toMatch(/731.*! 6.*286.*209.*764.*1,342/s);
  expect(complaints).toEqual([]);
});

test("filter, range and selection are in the URL, and the whole view follows them", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page.getByLabel("Filter endpoints").fill("/products");
  await page.locator(".scope").getByText("2 of 13 endpoints").waitFor();
  await page.locator(".tiles").getByText("3,118").waitFor();
  await page.locator(".endpoints tr", { hasText: "/products/{id}" }).click();
  await page.locator(".tiles").getByText("1,926").waitFor();
  const address = new URL(page.url());
  expect(address.searchParams.get("filter")).toBe("/products");
  expect(address.searchParams.get("endpoints")).toMatch(/^[0-9a-f]{40}$/);
  // Charts are redrawn as responses arrive.
  await page.waitForLoadState("networkidle");
  const plot = page.locator(".u-over").first();
  const box = await plot.boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + box.width / 4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Show the full run" }).waitFor();
  const { searchParams } = new URL(page.url());
  const [from, until] = [Number(searchParams.get("from")), Number(searchParams.get("until"))];
  // A quarter of 330 s, without partial points of 30 s at its ends.
  expect(until - from).toBeGreaterThan(75);
  expect(until - from).toBeLessThan(150);
  const shared = await world.openWithKey(
    `${new URL(page.url()).pathname}${new URL(page.url()).search}`,
  );
  await shared.page.getByText("1 endpoint selected").waitFor();
  await page.waitForLoadState("networkidle");
  await shared.page.waitForLoadState("networkidle");
  await expect
    .poll(() => shared.page.locator(".tiles").innerText())
    .toBe(await page.locator(".tiles").innerText());
});

test("keys move range and focus, select, and clear; the view is saved as CSV", async () => {
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
  await page.getByText("1 endpoint selected").waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect((await saved).suggestedFilename()).toBe("shop.csv");
  await page.keyboard.press("Escape");
  await page.getByText("1 endpoint selected").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(range()).toEqual([null, null]);
  await page.keyboard.press("?");
  await page.getByText("full range").waitFor();
  expect(complaints).toEqual([]);
});

test("Escape clears the typed text before the selection", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.locator(".endpoints .row").first().click();
  await page.getByText("1 endpoint selected").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("nothing like it");
  await page.getByText("No endpoint contains").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("13 endpoints", { exact: true }).waitFor();
  await page.getByText("1 endpoint selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 endpoint selected").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test.each([
  { width: 390, labelWidth: 120 },
  { width: 1024, labelWidth: 250 },
])("at $width px nothing is wider than the screen, and labels have room", async (expected) => {
  const { width, labelWidth } = expected;
  const { page } = await world.openWithKey("/t/shop", { width });
  await page.locator(".tiles").getByText("9,225").waitFor();
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(needed).toBeLessThanOrEqual(width);
  const label = await page.locator(".endpoints tbody th").first().boundingBox();
  expect(label?.width).toBeGreaterThan(labelWidth);
});

/** The numbers of a table column, from the top. */
async function column(page: Page, name: string): Promise<readonly number[]> {
  const texts = await page.locator(`.endpoints .row .${name}`).allInnerTexts();
  return texts.map((text) => Number(text.replaceAll(/[^\d.]/g, "")));
}

test("the table is sorted by any column in either direction, and the URL keeps that", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  const head = page.locator(".endpoints thead");
  await head.getByRole("button", { name: "requests" }).click();
  await page.waitForURL(/\?sort=count$/);
  const counts = await column(page, "count");
  expect(counts).toEqual(counts.toSorted((left, right) => right - left));
  await head.getByRole("button", { name: "requests" }).click();
  await expect.poll(() => column(page, "count")).toEqual(counts.toReversed());
  await head.getByRole("button", { name: "endpoint" }).click();
  await expect.poll(() => page.locator('[aria-sort="ascending"]').innerText()).toBe("endpoint ▴");
  const labels = await page.locator(".endpoints .row .label").allInnerTexts();
  expect(labels).toEqual(labels.toSorted());
  expect(new URL(page.url()).search).toBe("?sort=label");
  expect(complaints).toEqual([]);
});

test("on paper all endpoints are listed, of a comparison, and of a run where all were listed", async () => {
  const rows = Array.from(
    { length: 800 },
    (_, at) => `${1_700_000_000_000 + at},${at},e${at % 80},true`,
  );
  const file = path.join(mkdtempSync(path.join(tmpdir(), "tachograph-paper-")), "many.jtl");
  writeFileSync(file, ["timeStamp,elapsed,label,success", ...rows, ""].join("\n"));
  for (const id of ["many-1", "many-2"]) await world.import([file, "--id", id]);
  for (const view of ["/t/many-2?rows=all", "/compare/many-1/many-2"]) {
    const { page } = await world.openWithKey(view);
    const listed = page.locator(".endpoints tbody tr:not([aria-hidden])");
    await listed.first().waitFor();
    expect(await listed.count()).toBeLessThan(80);
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await expect.poll(() => listed.count()).toBeGreaterThanOrEqual(80);
  }
});

test("further columns are added by keyboard, kept in the URL, and agree with the service", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page.getByRole("button", { name: "Columns…" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  await page.getByLabel("p99.9").check();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(":focus").innerText()).toBe("Columns…");
  expect(new URL(page.url()).searchParams.get("columns")).toBe("p90,p99.9");
  const heads = await page.locator(".endpoints thead .numeric").allInnerTexts();
  expect(heads.join(" ")).toBe(
    "requests throughput failed average p50 p90 p95 p99 p99.9 max impact",
  );
  const response = await fetch(`${world.url}/Api/LoadTests/shop/Summary?filter=/checkout`, {
    headers: { "X-Service-Auth": world.key },
  });
  const { endpoints } = (await response.json()) as { endpoints: { label: string; p90: number }[] };
  const { label = "", p90 = 0 } = endpoints[0] ?? {};
  const row = page.getByRole("row", { name: `Select ${label}` });
  await expect.poll(() => row.locator(".p90").innerText()).toBe(`${Math.round(p90 * 1000)}ms`);
});

test("a percentile of too few requests is not highlighted, and says why", async () => {
  const { page } = await world.openWithKey("/t/shop");
  const row = page.locator(".endpoints .row", { hasText: "/checkout" }).first();
  await expect.poll(() => row.locator(".p99").getAttribute("title")).toBe(null);
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  const few = page.locator(".endpoints .p99.none").first();
  await few.waitFor();
  await expect.poll(() => few.getAttribute("title")).toMatch(/^\d+ requests?: too few for a p99$/);
});

test("rows are reached by one Tab, traversed by arrows, and selected with Enter and Ctrl", async () => {
  const { page } = await world.openWithKey("/t/shop?sort=label");
  await page.locator(".endpoints thead .impact button").focus();
  await page.keyboard.press("Tab");
  const focused = () => page.locator(":focus").getAttribute("class");
  await expect.poll(() => focused()).toBe("row");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator(".scope").getByText("1 endpoint selected").waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Control+Enter");
  await page.locator(".scope").getByText("2 endpoints selected").waitFor();
  await expect.poll(() => page.locator(".row.selected").count()).toBe(2);
  // Tab skips all other rows: to the checkbox of this one, then out of the table.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect.poll(() => page.locator(".endpoints :focus").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.locator(".row.selected").first().waitFor({ state: "detached" });
});

test("a label is copied as stored, and can be read in full where it is truncated", async () => {
  const { page } = await world.openWithKey("/t/shop", { width: 800 });
  const label = page.locator(".endpoints .row .label", { hasText: "/cart" }).first();
  const stored = (await label.getAttribute("title")) ?? "";
  const copied = await label.evaluate((cell) => {
    getSelection()?.selectAllChildren(cell);
    return String(getSelection());
  });
  expect(copied.trim()).toBe(stored);
  expect(stored).toMatch(/^[A-Z]+ \//);
  await label.locator("xpath=..").focus();
  expect(await label.evaluate((cell) => getComputedStyle(cell).overflow)).toBe("visible");
});

test("a range is chosen or typed in the selected clock, by keyboard, and Escape closes first", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop?clock=utc&filter=/cart");
  const chip = page.getByRole("button", { name: /^Range: Full run/ });
  await chip.focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("until").waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("until").waitFor({ state: "detached" });
  // Only the next Escape clears the filter.
  expect(new URL(page.url()).searchParams.get("filter")).toBe("/cart");
  await page.keyboard.press("Enter");
  const begin = await page.getByLabel("from").inputValue();
  expect(begin).toMatch(/^\d\d:\d\d:\d\d$/);
  await page.getByLabel("until").fill("noon");
  await page.keyboard.press("Enter");
  await page.getByText("Enter times as 14:02:11").waitFor();
  await page.getByLabel("until").fill(begin);
  await page.keyboard.press("Enter");
  const { searchParams } = new URL(page.url());
  expect(Number(searchParams.get("until"))).toBe(Number(searchParams.get("from")) + 1);
  await page.getByRole("button", { name: /^Range: .*, 1 s of 5 min 30 s$/ }).click();
  await page.getByRole("button", { name: "Last 5 min" }).click();
  const last = new URL(page.url()).searchParams;
  expect(Number(last.get("until")) - Number(last.get("from"))).toBe(300);
  await page.getByRole("button", { name: "Show the full run" }).click();
  await chip.waitFor();
  expect(complaints).toEqual([]);
});

test("a filter without matches says why, and offers one that matches", async () => {
  const { page } = await world.openWithKey("/t/shop?filter=/CART");
  await page.getByText("0 of 13 endpoints").waitFor();
  await page.getByText("No endpoint contains").waitFor();
  // Without lines there are no line names and no note about the length of points.
  const names = page.locator(".line-names button");
  await expect.poll(() => names.count()).toBe(0);
  await expect.poll(() => page.locator(".spread").innerText()).toBe("");
  await page.getByRole("button", { name: /^Use \/cart, \d endpoint/ }).click();
  expect(new URL(page.url()).searchParams.get("filter")).toBe("/cart");
  await page.locator(".endpoints .row").first().waitFor();
});

test("the worst endpoints come first, and the table is saved as it is on the screen", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page.getByText("Worst first: failed 5 % or more, then by p95").waitFor();
  const [failed, p95] = [await column(page, "errRate"), await column(page, "p95")];
  const worst = failed.filter((percent) => percent >= 5).length;
  expect(failed.slice(0, worst)).toEqual(
    failed.slice(0, worst).toSorted((one, other) => other - one),
  );
  expect(p95.slice(worst)).toEqual(p95.slice(worst).toSorted((one, other) => other - one));
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save table" }).click();
  const [heads, ...lines] = readFileSync(await (await saved).path(), "utf8")
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  const names = "endpoint requests throughput failed average p50 p95 p99 max impact";
  expect(heads?.join(" ")).toBe(names);
  expect(lines.map(([, requests]) => Number(requests))).toEqual(await column(page, "count"));
});

test("lines of rows stay in their windows until those of another range come", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  const lines = page.locator(".endpoints .spark-line");
  const drawn = () => lines.evaluateAll((all) => all.map((each) => each.getAttribute("d")));
  await lines.first().waitFor();
  await page.waitForLoadState("networkidle");
  const before = new Set(await drawn());
  const held = Promise.withResolvers<void>();
  await page.route(/Percentiles\?.*percent=95$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "Show the full run" }).waitFor();
  await page.waitForTimeout(500);
  const meanwhile = await drawn();
  expect(meanwhile.length).toBeGreaterThan(0);
  expect(meanwhile.filter((each) => !before.has(each))).toEqual([]);
  held.resolve();
  await expect.poll(async () => (await drawn()).some((each) => before.has(each))).toBe(false);
  expect(complaints).toEqual([]);
});
