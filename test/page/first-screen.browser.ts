/// <reference lib="dom" />
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { writeGeneratedRun } from "./generated-run.ts";

const SCREEN = { width: 1440, height: 900 };

let world: World;

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-first-"));
  try {
    const file = path.join(folder, "run.jtl");
    // A baseline adds a line to the charts, tags lengthen the head.
    writeGeneratedRun(file, { isCalm: true, requestsPerSecond: 20 });
    await world.import([file, "--id", "calm", "--name", "checkout-nightly"]);
    await world.command(["tests", "baseline", "calm"]);
    writeGeneratedRun(file);
    await world.import([file, "--id", "run", "--name", "checkout-nightly"]);
    await tag("run", ["main", "eu"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);

afterAll(() => world?.close());

async function tag(id: string, tags: readonly string[]): Promise<void> {
  const { ok } = await fetch(`${world.url}/Api/LoadTests/${id}`, {
    method: "PATCH",
    headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
    body: JSON.stringify({ tags }),
  });
  if (!ok) throw new Error("not tagged");
}

async function open(): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const tab = await world.openWithKey("/t/run");
  await tab.page.setViewportSize(SCREEN);
  await tab.page.getByRole("list", { name: "Most frequent failures" }).waitFor();
  await tab.page.waitForLoadState("networkidle");
  return tab;
}

/** Pixels from the top of the window to the bottom of the element. */
async function bottomOf(shown: Locator): Promise<number> {
  const box = await shown.boundingBox();
  if (box === null) throw new Error("not shown");
  return box.y + box.height;
}

test("the first screen has anomalies, failures, tiles and the chart of response times", async () => {
  const { page, complaints } = await open();
  const kinds = page.getByRole("list", { name: "Most frequent failures" }).getByRole("listitem");
  // Code, endpoints, first and last second, as generated-run.ts makes them.
  await expect
    .poll(() => kinds.allInnerTexts())
    .toEqual([
      expect.stringMatching(
        /^\d\d:24:10 to \d\d:24:51\s+1,330 × 503 Service Unavailable on POST \/cart, GET \/cart and 16 more$/,
      ),
      expect.stringMatching(
        /^\d\d:24:10 to \d\d:24:51\s+106 × 504 Gateway Time-out on POST \/checkout\/payment$/,
      ),
      expect.stringMatching(/ 409 Conflict on .+ and \d+ more$/),
    ]);
  const ends = [
    page.getByRole("list", { name: "Findings" }),
    kinds.last(),
    page.locator(".tiles"),
    page.locator(".charts .plot").first(),
  ].map(bottomOf);
  expect(Math.max(...(await Promise.all(ends)))).toBeLessThanOrEqual(SCREEN.height);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  expect(complaints).toEqual([]);
});

test("the table lists ten endpoints, and all of them on request", async () => {
  const { page } = await open();
  const rows = page.locator(".endpoints tbody tr.row");
  await expect.poll(() => rows.count()).toBe(10);
  await page.getByRole("button", { name: "All 148" }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(20);
  expect(new URL(page.url()).searchParams.get("rows")).toBe("all");
});

test("a kind of failure marks its seconds in the charts and opens its endpoints", async () => {
  const { page } = await open();
  await page.getByRole("button", { name: /504 Gateway Time-out on/ }).click();
  await page.locator(".scope").getByText("504").waitFor();
  await expect
    .poll(() => page.locator(".failures .of-kind .kind").allInnerTexts())
    .toEqual(["POST /checkout/payment"]);
});

test("a tile leads to its data", async () => {
  const { page } = await open();
  await page.locator(".tiles .max button").click();
  const head = page.locator(".endpoints thead .maxLoadTime");
  await expect.poll(() => head.getAttribute("aria-sort")).toBe("descending");
  await page.locator(".tiles .failed button").click();
  const failures = page.locator(".failures tbody").first();
  await expect.poll(() => bottomOf(failures)).toBeLessThanOrEqual(SCREEN.height);
});

test("a burst of 42 s keeps its width beside a rare endpoint, and the resolution can be chosen", async () => {
  const { page, complaints } = await world.openWithKey("/t/run?filter=/cart&sort=count");
  const rows = page.locator(".endpoints tbody tr.row");
  await rows.first().waitFor();
  await rows.first().getByRole("checkbox").click();
  await rows.last().getByRole("checkbox").click();
  await page.getByText("2 endpoints selected").waitFor();
  await page.goto(`${page.url()}&numbers=shown`);
  const points = page.getByRole("button", { name: /^Resolution: 5 s per point, p95/ });
  await points.waitFor();
  const failed = page.locator(".numbers tbody tr");
  const stretch = async (): Promise<number> => {
    const heads = await page.locator(".numbers thead th").allInnerTexts();
    const column = heads.indexOf("failed");
    const cells = await failed.evaluateAll(
      (all, at) => all.map((row) => row.querySelectorAll("th, td")[at]?.textContent ?? ""),
      column,
    );
    // Half of the requests in the burst fail, and a few in ten thousand of the others: at most one in a second.
    return cells.filter((text) => Number.parseFloat(text) > 10).length;
  };
  await expect.poll(stretch).toBeGreaterThan(6);
  expect(await stretch()).toBeLessThanOrEqual(10);
  await points.click();
  await page.getByRole("button", { name: "1 s", exact: true }).click();
  await page.getByRole("button", { name: "Resolution: 1 s per point" }).waitFor();
  expect(new URL(page.url()).searchParams.get("resolution")).toBe("1");
  await expect.poll(stretch).toBeGreaterThan(35);
  expect(await stretch()).toBeLessThanOrEqual(42);
  expect(complaints).toEqual([]);
});

test.each([1440, 1280, 1024])("at %d px no name and no failure is cut", async (width) => {
  const { page } = await world.openWithKey("/runs", { width });
  await page.locator(".load-tests tbody tr").first().waitFor();
  await expect.poll(() => cutTexts(page)).toEqual([]);
  await page.goto(`${world.url}/t/run`);
  await page.locator(".failures tbody tr").first().waitFor();
  await expect.poll(() => cutTexts(page)).toEqual([]);
});

/** Texts that end in an ellipsis for want of room. */
function cutTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(":is(.load-tests, .failures, .comparison .label) *")]
      .filter((each) => getComputedStyle(each).textOverflow === "ellipsis")
      .filter((each) => each.scrollWidth > each.clientWidth)
      .flatMap(({ innerText }) => (innerText === "" ? [] : [innerText])),
  );
}
