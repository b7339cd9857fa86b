/// <reference lib="dom" />
import { readFileSync } from "node:fs";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Trend } from "../../src/api/trend.ts";
import { createWorld, type Tab, type World } from "./browser.ts";
import {
  cartP95,
  FACTOR,
  FAILING_FROM,
  NIGHTS,
  SLOWER_FROM,
  storeHistory,
  storeNight,
} from "./nightly-runs.ts";

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** Of what passes, axe need not describe each element. */
const RUN_AXE = 'axe.run({ resultTypes: ["violations"] })';
/** SHA-1 of `GET /cart`. */
const CART = "890a7f8e02ad127c4f5669d211ea3ec8d8d8ce03";
const SLOWER = `night-${SLOWER_FROM}`;
const FAILING = `night-${FAILING_FROM}`;
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await storeHistory(world);
  await storeNight(world, { name: "lonely", night: 0, id: "only" });
});

afterAll(() => world?.close());

afterEach(async () => {
  const headers = { "X-Service-Auth": world.key, "Content-Type": "application/json" };
  const body = JSON.stringify({ removeTags: ["baseline"] });
  for (const id of [SLOWER, "night-3", "night-5"]) {
    const address = `${world.url}/Api/LoadTests/${id}`;
    const { ok } = await fetch(address, { method: "PATCH", headers, body });
    if (!ok) throw new Error(`${id} may still be the baseline`);
  }
});

async function opened(search = "", options?: Parameters<World["openWithKey"]>[1]): Promise<Tab> {
  const tab = await world.openWithKey(`/trend/checkout${search}`, options);
  await tab.page.locator(".trend-charts .u-over").first().waitFor();
  return tab;
}

/** The text of these elements, with whitespace collapsed. */
async function textsOf(page: Page, selector: string): Promise<readonly string[]> {
  const texts = await page.locator(selector).allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

function parametersOf(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

/**
 * Reads the load test under the cursor of the first chart after these keys; `End` selects the latest.
 */
async function readOut(page: Page, ...keys: readonly string[]): Promise<string> {
  const chart = page.getByRole("slider").first();
  await chart.focus();
  for (const key of keys) await page.keyboard.press(key);
  return (await chart.getAttribute("aria-valuetext")) ?? "";
}

test("the endpoints that changed are listed by run, latest first, and each change on request", async () => {
  const trend = JSON.parse(await world.command(["trend", "checkout", "--json"])) as Trend;
  const { page, complaints } = await opened();
  const [ids, labels, figures] = await Promise.all(
    [".with a", ".label", ".figure"].map((cell) => textsOf(page, `.changes-table tbody ${cell}`)),
  );
  // By construction: what changed is one endpoint each time, and not all of them.
  expect(ids?.map((id, row) => [id, labels?.[row], figures?.[row]])).toEqual([
    [FAILING, "POST /pay", "failed"],
    [SLOWER, "GET /cart", "average to p99"],
  ]);
  await page.getByRole("button", { name: `Show all ${trend.changes.length} changes` }).click();
  const names = { count: "requests", errRate: "failed", avgLoadTime: "average" } as const;
  const told = trend.changes.map(({ loadTestId, label = "All endpoints", figure }) => {
    return `${loadTestId} ${label} ${figure in names ? names[figure as keyof typeof names] : figure}`;
  });
  const rows = page.locator(".changes-table tbody tr");
  await expect.poll(() => rows.count()).toBe(trend.changes.length);
  const shown = await Promise.all(
    (await rows.all()).map(async (row) => {
      const cells = [row.locator(".with a"), row.locator(".label"), row.locator(".figure")];
      const texts = await Promise.all(cells.map((cell) => cell.innerText()));
      return texts.map((text) => text.replaceAll(/\s+/g, " ").trim()).join(" ");
    }),
  );
  expect(shown).toEqual(told);
  expect(shown).toContain(`${FAILING} POST /pay failed`);
  const p95 = rows.filter({ hasText: "/cart" }).filter({ hasText: "p95" });
  await expect.poll(() => p95.locator(".what").innerText()).toMatch(/▲\s*slower/);
  await expect.poll(() => p95.locator(".with a").innerText()).toBe(SLOWER);
  // By construction each request of GET /cart took a fifth longer from then on.
  await expect.poll(() => p95.locator(".change").innerText()).toMatch(/^\+20\s?%$/);
  await expect
    .poll(() => p95.locator(".levels").innerText())
    .toBe(`${SLOWER_FROM} → ${NIGHTS - SLOWER_FROM}`);
  const raw = Array.from({ length: NIGHTS }, (_, night) => cartP95(night));
  const levels = [raw.slice(0, SLOWER_FROM), raw.slice(SLOWER_FROM)].map(
    (level) => level.reduce((sum, each) => sum + each, 0) / level.length,
  );
  for (const [index, name] of ["before", "after"].entries()) {
    const level = parseInt(await p95.locator(`.${name}`).innerText());
    // A histogram is accurate to 1 %.
    expect(Math.abs(level - (levels[index] ?? 0))).toBeLessThan((levels[index] ?? 0) / 100 + 1);
  }
  expect((levels[1] ?? 0) / (levels[0] ?? 1)).toBeCloseTo(FACTOR, 2);
  const pay = rows.filter({ hasText: "/pay" });
  await expect.poll(() => pay.count()).toBe(1);
  await expect.poll(() => pay.locator(".what").innerText()).toMatch(/!\s*fails more/);
  await expect.poll(() => pay.locator(".after").innerText()).toMatch(/^10\s?%$/);
  expect(complaints).toEqual([]);
});

test("the charts mark runs that introduced a change, and keys read out each run", async () => {
  const { page, complaints } = await opened("?changes=all");
  await expect.poll(() => textsOf(page, ".mark-number")).toEqual(["1", "2", "2", "2", "2"]);
  await expect
    .poll(() => readOut(page, "End"))
    .toMatch(
      /^night-15, Wed 16 Sept, \d\d:\d\d: p99 \d+ ms, p95 \d+ ms, average \d+ ms, p50 \d+ ms$/,
    );
  await expect.poll(() => readOut(page, "Home")).toMatch(/^night-0, Tue 1 Sept/);
  await page.locator(".changes-table .row-name", { hasText: "/cart" }).first().click();
  await page.locator(".trend-charts h2", { hasText: "GET /cart" }).waitFor();
  expect(parametersOf(page)).toEqual({ changes: "all", endpoint: CART, at: SLOWER });
  const [first, last] = [await readOut(page, "Home"), await readOut(page, "End")];
  for (const [text, night] of [
    [first, 0],
    [last, NIGHTS - 1],
  ] as const) {
    const p95 = Number(/p95 (\d+) ms/.exec(text)?.[1]);
    expect(Math.abs(p95 - cartP95(night))).toBeLessThanOrEqual(cartP95(night) / 100 + 0.5);
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.locator(".trend-charts h2", { hasText: "All endpoints" }).waitFor();
  expect(complaints).toEqual([]);
});

test("Enter on a run leads to it, and to its comparison with the previous one", async () => {
  const { page, complaints } = await opened(`?endpoint=${CART}&changes=all`);
  await readOut(page, "End", "ArrowLeft", "Enter");
  const chosen = page.getByRole("region", { name: "Run night-14" });
  await chosen.getByRole("link", { name: "Open" }).and(page.locator(":focus")).waitFor();
  await expect.poll(() => chosen.innerText()).toContain("p95");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "checkout night-14" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/t/night-14");
  await page.goBack();
  await chosen.getByRole("link", { name: "Compare with previous" }).click();
  await page
    .getByRole("heading", { name: "checkout night-14 with base checkout night-13" })
    .waitFor();
  expect(parametersOf(page)).toEqual({ endpoint: CART });
  await page.goBack();
  await page
    .locator(".changes-table tr", { hasText: "/cart" })
    .first()
    .getByText("compare")
    .click();
  await page
    .getByRole("heading", { name: `checkout ${SLOWER} with base checkout night-9` })
    .waitFor();
  expect(complaints).toEqual([]);
});

test("a click selects a run, a drag a part of the history, and a double click all of it", async () => {
  const { page, complaints } = await opened();
  const box = await page.locator(".u-over").first().boundingBox();
  if (box === null) throw new Error("no chart");
  const xOf = (night: number): number => box.x + ((night + 0.5) / NIGHTS) * box.width;
  await page.mouse.click(xOf(4), box.y + 40);
  await page.getByRole("region", { name: "Run night-4" }).waitFor();
  expect(parametersOf(page)).toEqual({ at: "night-4" });
  await page.mouse.move(xOf(2), box.y + 40);
  await page.mouse.down();
  await page.mouse.move(xOf(8), box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.getByText("7 runs").waitFor();
  expect(parametersOf(page)).toEqual({ at: "night-4", since: "night-2", upTo: "night-8" });
  await page.getByText("None beyond noise.").waitFor();
  await page.locator(".u-over").first().dblclick();
  await page.getByText("16 runs").waitFor();
  expect(complaints).toEqual([]);
});

test("a run becomes the baseline, the history begins there, and the baseline can be removed again", async () => {
  const { page, complaints } = await opened("?at=night-3");
  const chosen = page.getByRole("region", { name: "Run night-3" });
  await chosen.getByRole("button", { name: "Set as baseline" }).click();
  await page.getByText("since the baseline night-3").waitFor();
  await page.getByText("13 runs").waitFor();
  await page.getByText("shaded: the baseline night-3").waitFor();
  expect(await world.command(["trend", "checkout"])).toContain("begins at the baseline, night-3");
  await page.getByRole("button", { name: "Include runs before the baseline" }).click();
  await page.getByText("16 runs").waitFor();
  expect(parametersOf(page)).toEqual({ at: "night-3", baseline: "ignored" });
  await page.getByRole("button", { name: "Start at the baseline night-3" }).click();
  await page.getByText("13 runs").waitFor();
  await readOut(page, "End", "Enter");
  const latest = page.getByRole("region", { name: "Run night-15" });
  await latest.getByRole("link", { name: "Compare with the baseline" }).click();
  await page
    .getByRole("heading", { name: "checkout night-15 with base checkout night-3" })
    .waitFor();
  await page.goBack();
  // Moves the baseline, which accepts the change.
  await page.goto(`${world.url}/t/${SLOWER}`);
  await page.getByRole("button", { name: "Set as baseline" }).click();
  await page.getByRole("button", { name: "Remove baseline" }).waitFor();
  await page.locator(".facts", { hasText: "baseline" }).waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByText(`since the baseline ${SLOWER}`).waitFor();
  await expect.poll(() => textsOf(page, ".changes-table .with a")).not.toContain(SLOWER);
  await page.getByRole("button", { name: "Remove baseline" }).click();
  await page.getByText("16 runs").waitFor();
  expect(await world.command(["trend", "checkout"])).not.toContain("baseline");
  expect(complaints).toEqual([]);
});

test("with a read key the baseline is visible, without a button", async () => {
  await world.command(["tests", "baseline", "night-5"]);
  const key = await world.command(["keys", "create", "--name", "reader", "--scope", "read"]);
  const { page } = await opened("", { key });
  await page.getByText("since the baseline night-5").waitFor();
  await page.waitForLoadState("networkidle");
  await expect
    .poll(() => page.getByRole("button", { name: /^(Set as|Remove) baseline$/ }).count())
    .toBe(0);
  await page.goto(`${world.url}/t/night-5`);
  await page.getByRole("link", { name: "History" }).waitFor();
  await page.waitForLoadState("networkidle");
  await expect
    .poll(() => page.getByRole("button", { name: /^(Set as|Remove) baseline$/ }).count())
    .toBe(0);
});

test("the list links to the history of a name with several runs", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("link", { name: "history" }).click();
  await page.getByRole("heading", { name: "History of checkout" }).waitFor();
  expect(parametersOf(page)).toEqual({ at: "night-15" });
  await expect.poll(() => page.title()).toBe("History of checkout · Tachograph");
  expect(complaints).toEqual([]);
});

test("the filter narrows the endpoints and is part of the URL", async () => {
  const { page } = await opened();
  await page.keyboard.press("/");
  await page.keyboard.type("/pay");
  await page.getByText("1 endpoint", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Show all 2 changes" }).click();
  await expect
    .poll(() => textsOf(page, ".changes-table .label button"))
    .toEqual(["All endpoints", "POST /pay"]);
  await page.locator(".trend-endpoints .row-name").click();
  await page.getByTitle("Hide p50").click();
  await page.getByRole("button", { name: "Chart data as a table" }).press("Enter");
  const shared = await opened(new URL(page.url()).search);
  await shared.page.locator(".trend-charts h2", { hasText: "POST /pay" }).waitFor();
  await shared.page.getByTitle("Show p50").waitFor();
  const rows = await textsOf(shared.page, ".numbers tbody tr");
  expect(rows).toHaveLength(NIGHTS);
  expect(rows.at(-1)).toMatch(/^night-15, .* 240 10 % 19\d ms /);
  expect(rows.at(-4)).toMatch(/^night-12, .* 240 0 /);
});

test("a series can be selected by a tag", async () => {
  for (const night of [1, 2]) await world.command(["tests", "tag", `night-${night}`, "main"]);
  await world.command(["tests", "tag", "only", "main"]);
  const { page } = await world.openWithKey("/trend?tag=main");
  await page.getByRole("heading", { name: "History of tag main" }).waitFor();
  await page.getByText("3 runs").waitFor();
  await expect.poll(() => readOut(page, "Home")).toMatch(/^lonely only, /);
});

test.each([390, 1280])(
  "at %d px nothing is wider than the window, and axe finds nothing serious",
  async (width) => {
    await world.command(["tests", "baseline", "night-5"]);
    for (const dark of [false, true]) {
      const { page, complaints } = await opened("?at=night-12&numbers=shown", { width, dark });
      await page.waitForLoadState("networkidle");
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await page.evaluate(AXE);
      const { violations } = (await page.evaluate(RUN_AXE)) as AxeResults;
      const serious = violations.filter(
        ({ impact }) => impact === "serious" || impact === "critical",
      );
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      expect(complaints).toEqual([]);
    }
  },
);
