/// <reference lib="dom" />
import type { LoadTestComparison } from "../../src/api/compare.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Tab, type World } from "./browser.ts";
import { LATER_AFTER_MS, percentileOf, runOf, writeRun } from "./compared-runs.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-compare-"));
const [BASE, LATER] = [runOf("base"), runOf("later")];
let world: World;

beforeAll(async () => {
  world = await createWorld();
  for (const [id, name, run, afterMs] of [
    ["old", "nightly", BASE, 0],
    ["new", "nightly", LATER, LATER_AFTER_MS],
    ["third", "spike", BASE, 2 * LATER_AFTER_MS],
  ] as const) {
    const file = path.join(folder, `${id}.jtl`);
    writeRun(file, run, afterMs);
    await world.import([file, "--id", id, "--name", name]);
  }
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

/** The text of these elements, with whitespace collapsed. */
async function textsOf(page: Page, selector: string): Promise<readonly string[]> {
  const texts = await page.locator(selector).allInnerTexts();
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

/** The labels of the table, from the top. */
function labelsIn(page: Page): Promise<readonly string[]> {
  return textsOf(page, ".comparison tbody .label");
}

/** The cells of a statistic of the selected endpoint. */
function figuresOf(page: Page, name: string): Promise<readonly string[]> {
  return textsOf(page, `.figures tbody tr:has(th:text-is("${name}")) .numeric`);
}

async function opened(search = "", options?: Parameters<World["openWithKey"]>[1]): Promise<Tab> {
  const tab = await world.openWithKey(`/compare/old/new${search}`, options);
  await tab.page.locator(".comparison tbody tr").first().waitFor();
  return tab;
}

function parametersOf(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

test("two runs selected in the list are compared, with the older one as base", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  await page.getByRole("link", { name: "spike" }).focus();
  await page.keyboard.press(" ");
  const bar = page.getByRole("region", { name: "Selected runs" });
  await bar.getByText("Compare spike third").waitFor();
  await page.getByLabel("Select nightly old").check();
  await bar.getByText(/spike third .* with base nightly old/).waitFor();
  await page.getByLabel("Select spike third").uncheck();
  await page.getByLabel("Select nightly new").check();
  await bar.getByText(/nightly new .* with base nightly old/).waitFor();
  expect(parametersOf(page)).toEqual({ ticked: "old,new" });
  await bar.getByRole("button", { name: "Swap" }).click();
  await bar.getByText(/nightly old .* with base nightly new/).waitFor();
  await page.reload();
  await bar.getByText(/nightly old .* with base nightly new/).waitFor();
  await bar.getByRole("button", { name: "Swap" }).click();
  await bar.getByRole("link", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "nightly new with base nightly old" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/compare/old/new");
  await page.goBack();
  await bar.getByRole("button", { name: "Clear" }).click();
  await bar.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("`c` in a run lists runs of the same name first, and typing finds others", async () => {
  const { page, complaints } = await world.openWithKey("/t/new");
  await page.locator(".endpoints tbody tr").first().waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "Compare with" });
  await dialog.getByRole("link").first().waitFor();
  await expect
    .poll(() => dialog.getByRole("link").locator(".id").allInnerTexts())
    .toEqual(["old", "third"]);
  await expect.poll(() => dialog.getByRole("link").first().innerText()).toMatch(/\d min \d+ s$/);
  await page.keyboard.type("spi");
  await expect.poll(() => dialog.getByRole("link").count()).toBe(1);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Compare…" }).and(page.locator(":focus")).click();
  await dialog.getByText("old").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "nightly new with base nightly old" }).waitFor();
  expect(complaints).toEqual([]);
});

test("the worst endpoints come first, with a verdict and a sign, and are counted", async () => {
  const { page, complaints } = await opened();
  await expect
    .poll(() => labelsIn(page))
    .toEqual([
      "GET /cart",
      "GET /fails",
      "GET /wrap",
      "GET /legacy",
      "GET /search",
      "GET /same",
      "GET /rare",
    ]);
  await expect
    .poll(() => textsOf(page, ".comparison tbody .verdict"))
    .toEqual([
      "▲slower",
      "!fails more",
      "+new",
      "−gone",
      "▼faster",
      "=unchanged",
      "?too few requests",
    ]);
  await expect
    .poll(() => textsOf(page, ".verdict-filter button"))
    .toEqual([
      "all 7",
      "▲ 1 slower",
      "! 1 fails more",
      "+ 1 new",
      "− 1 gone",
      "▼ 1 faster",
      "= 1 unchanged",
      "? 1 too few requests",
    ]);
  expect(complaints).toEqual([]);
});

test.each([
  ["GET /cart", [58, 116], /^\+100%$/],
  ["GET /search", [174, 58], /^−6[67]%$/],
])(
  "the p95 of %s equals that of the raw file, %j ms, and that of the service",
  async (label, raw, change) => {
    const answer = await fetch(`${world.url}/Api/LoadTests/new/Compare?base=old`, {
      headers: { "X-Service-Auth": world.key },
    });
    const { endpoints } = (await answer.json()) as LoadTestComparison;
    const p95 = endpoints.find((each) => each.label === label)?.p95;
    const { page } = await opened();
    const cells = page.locator(".comparison tbody tr").filter({ hasText: label.slice(4) });
    const shown = await Promise.all(
      ["base", "value"].map(async (name) => parseInt(await cells.locator(`.${name}`).innerText())),
    );
    expect(shown).toEqual([p95?.base, p95?.value].map((seconds = 0) => Math.round(seconds * 1000)));
    await expect.poll(() => cells.locator(".change").innerText()).toMatch(change);
    expect([BASE, LATER].map((run) => percentileOf(run, label, 0.95))).toEqual(raw);
    for (const [index, exact] of raw.entries()) {
      // Half a millisecond for rounding.
      expect(Math.abs((shown[index] ?? 0) - exact)).toBeLessThanOrEqual(exact / 100 + 0.5);
    }
  },
);

test("the tiles compare all endpoints aggregated", async () => {
  const { page } = await opened();
  // 5 endpoints of 600 requests and one of 10 in both; a fifth of 600 failed.
  await expect
    .poll(async () => (await textsOf(page, ".tiles div")).slice(0, 3))
    .toEqual([
      "requests 3,010 base 3,010 0 %",
      "failed 120 4.0 % base 0 ! from 0",
      "throughput 10 /s base 10 /s 0 %",
    ]);
});

test("a row shows its curves, whose bars are the differences of the table", async () => {
  const { page, complaints } = await opened();
  await page.getByRole("heading", { name: "All endpoints" }).waitFor();
  await page.locator(".comparison tbody tr", { hasText: "/cart" }).click();
  const drawing = page.getByRole("img", { name: "GET /cart" });
  await drawing.waitFor();
  await expect.poll(() => figuresOf(page, "shift")).toEqual(["▲ +100 %"]);
  await expect.poll(() => figuresOf(page, "max")).toEqual(["59ms", "118ms", "+100 %"]);
  const [base = "", value = ""] = await figuresOf(page, "p95");
  const lastBar = drawing.locator(".bar.slower text").last();
  await expect
    .poll(() => lastBar.textContent())
    .toBe(`p95  ${parseInt(base)} to ${parseInt(value)} ms`);
  expect(parametersOf(page)["endpoint"]).toMatch(/^[0-9a-f]{40}$/);
  await page.locator(".comparison tbody tr", { hasText: "/legacy" }).click();
  await page.getByRole("img", { name: "GET /legacy" }).waitFor();
  await expect.poll(() => page.locator(".curve").count()).toBe(1);
  expect(complaints).toEqual([]);
});

test("verdicts and text filter the table, and the URL restores the view", async () => {
  const { page } = await opened();
  await page.getByRole("button", { name: "faster" }).click();
  await expect.poll(() => labelsIn(page)).toEqual(["GET /search"]);
  await page.getByRole("button", { name: "all 7" }).click();
  await page.keyboard.press("/");
  await page.keyboard.type("/s");
  await page.getByRole("button", { name: "all 2" }).waitFor();
  await page.getByRole("button", { name: "endpoint", exact: true }).click();
  await page.getByRole("button", { name: "p99", exact: true }).click();
  await page.getByRole("button", { name: "base p99" }).waitFor();
  await page.locator(".comparison tbody tr").first().click();
  expect(parametersOf(page)).toMatchObject({ filter: "/s", sort: "label", statistic: "p99" });
  const shared = await opened(new URL(page.url()).search);
  await shared.page.getByRole("img", { name: "GET /same" }).waitFor();
  await expect.poll(() => labelsIn(shared.page)).toEqual(["GET /same", "GET /search"]);
  await page.getByRole("link", { name: "Swap" }).click();
  expect(new URL(page.url()).pathname).toBe("/compare/new/old");
  await page.getByRole("button", { name: "1 slower" }).waitFor();
});

test("of another part, no verdicts of the part before are shown, nor if it is refused", async () => {
  const { page } = await opened();
  await page.route(/\/Compare\?.*skipStart/, (route) =>
    route.fulfill({ status: 422, json: { title: "too much", status: 422, detail: "too much" } }),
  );
  await page.getByRole("button", { name: "steady state" }).click();
  await page.getByText("too much").first().waitFor();
  expect(await page.locator(".comparison tbody tr").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Copy Markdown" }).count()).toBe(0);
  await page.getByRole("button", { name: "start", exact: true }).click();
  await page.locator(".comparison tbody tr").first().waitFor();
});

test("both runs begin at 0; the steady state and a range can be selected", async () => {
  const { page, complaints } = await opened();
  const chart = page.getByRole("slider");
  await chart.focus();
  await page.keyboard.press("Home");
  await expect
    .poll(() => chart.getAttribute("aria-valuetext"))
    .toMatch(/^0: base \d+ ms.*this \d+ ms/);
  await page.getByRole("button", { name: "steady state" }).click();
  // A tenth of the five minutes.
  await expect.poll(() => parametersOf(page)["skipStart"]).toBe("30");
  await page.locator(".tiles").getByText("2,709").first().waitFor();
  const box = await page.locator(".u-over").boundingBox();
  if (box === null) throw new Error("no chart");
  await page.mouse.move(box.x + 1, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 30, { steps: 5 });
  await page.mouse.up();
  await page.getByText(/^to \d min/).waitFor();
  await page.getByRole("button", { name: "Compare up to the end" }).click();
  expect(parametersOf(page)["until"]).toBeUndefined();
  expect(complaints).toEqual([]);
});

test("everything is reachable by keyboard", async () => {
  const { page, complaints } = await opened("?verdict=slower");
  await page.keyboard.press("Escape");
  expect(parametersOf(page)).toEqual({});
  await page.locator(".comparison tbody button").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "GET /fails" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press(" ");
  await page.getByRole("img", { name: "GET /cart" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("heading", { name: "All endpoints" }).waitFor();
  expect(complaints).toEqual([]);
});

test("the view is exported as CSV, as Markdown and as a command", async () => {
  const { page } = await opened("?filter=cart");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  expect((await saved).suggestedFilename()).toBe("new with old.csv");
  expect(readFileSync(await (await saved).path(), "utf8")).toMatch(
    /\r\nGET \/cart,,slower,600,600,/,
  );
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy Markdown" }).click();
  await expect.poll(copied).toMatch(/\| ▲ slower \| 600 \|.*\| `GET \/cart` \|\n/);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await expect.poll(copied).toContain("/Api/LoadTests/new/Compare?base=old");
});

test("the view works in dark mode and on narrow screens, and reports a missing run", async () => {
  const dark = await opened("", { dark: true });
  const color = await dark.page
    .locator(".sign.slower")
    .first()
    .evaluate((sign) => getComputedStyle(sign).color);
  expect(color).toBe("rgb(227, 179, 65)");
  const narrow = await opened("", { width: 390 });
  const width = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  const { page } = await world.openWithKey("/compare/old/nowhere");
  for (const runs of ["old/nowhere", "nowhere/old"]) {
    await page.goto(`${world.url}/compare/${runs}`);
    await page.getByRole("heading", { name: "There is no run “nowhere”" }).waitFor();
  }
});
