/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HOSTILE_LABELS } from "../hostile-labels/labels.ts";
import { runTachograph } from "../support/run-tachograph.ts";
import { createWorld, DEMO, type World } from "./browser.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-report-"));
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

/** Opens a report as its reader does: from disk, without a network. */
async function openReport(file: string, fragment = "", options?: Parameters<World["open"]>[0]) {
  const tab = await world.open(options);
  const requests: string[] = [];
  await tab.page.context().setOffline(true);
  tab.page.on("request", (request) => void requests.push(request.url()));
  const url = `${pathToFileURL(file).href}${fragment}`;
  await tab.page.goto(url);
  await tab.page.locator(".endpoints tbody tr").first().waitFor();
  return { ...tab, requests, url };
}

/** The file that the page's button saves. */
async function savedReport(address: string): Promise<string> {
  const { page, complaints } = await world.openWithKey(address);
  await page.locator(".endpoints tbody tr").first().waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Report…" }).click();
  await page.getByRole("button", { name: "Save report" }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe("shop.html");
  const file = path.join(folder, `${Buffer.from(address).toString("hex")}.html`);
  await download.saveAs(file);
  expect(complaints).toEqual([]);
  return file;
}

async function answer(path_: string) {
  const headers = { "X-Service-Auth": world.key };
  return (await fetch(`${world.url}/Api/LoadTests/shop/${path_}`, { headers })).json();
}

const ROLES: Record<string, string> = { transaction: "transaction", subresult: "sub-result" };

const WHOLE = new Intl.NumberFormat("en-US");

async function tilesOf(page: Page): Promise<string> {
  return (await page.locator(".tiles").innerText()).replaceAll(/\s+/g, " ");
}

/** Like times of up to 10 s on the page: three digits, one decimal below 10 ms. */
function digitsOf(seconds: number): string {
  const ms = seconds * 1000;
  if (ms >= 999.5) return seconds.toFixed(2);
  return ms < 9.95 ? ms.toFixed(1) : ms.toFixed(0);
}

function timeText(seconds: number): string {
  return `${digitsOf(seconds)} ${seconds < 0.9995 ? "ms" : "s"}`;
}

/** How the tiles must begin and end for these statistics. */
function expectTiles(tiles: string, { overall }: Awaited<ReturnType<typeof answer>>): void {
  expect(tiles).toContain(`requests ${WHOLE.format(overall.count)} `);
  expect(tiles).toContain(`failed ${WHOLE.format(overall.errCount)} `);
  expect(tiles).toContain(`p50 ${timeText(overall.p50)} `);
  expect(tiles).toContain(`p95 ${timeText(overall.p95)} `);
  expect(tiles).toContain(`p99 ${timeText(overall.p99)} `);
  expect(tiles).toContain(`max ${timeText(overall.maxLoadTime)} `);
}

test("a report opens from disk, sends no requests, and agrees with the service", async () => {
  const { page, complaints, requests, url } = await openReport(await savedReport("/t/shop"));
  const summary = await answer("Summary");
  expectTiles(await tilesOf(page), summary);
  // High enough for all rows: others are not drawn.
  await page.setViewportSize({ width: 1280, height: 2000 });
  const rows = page.locator(".endpoints tbody tr");
  await rows.nth(summary.endpoints.length - 1).waitFor();
  const cells = (await rows.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, " "));
  expect(cells).toHaveLength(summary.endpoints.length);
  for (const { label, role, count, p95 } of summary.endpoints) {
    const name = role === undefined ? label : `${label} ${ROLES[role]}`;
    const own = cells.filter((row) => row.includes(`${name} ${WHOLE.format(count)} `));
    // All times of the column in the unit of the longest.
    expect(own).toEqual([expect.stringContaining(` ${WHOLE.format(Math.round(p95 * 1000))}ms `)]);
  }
  const [
    {
      findings: [step],
    },
  ] = await answer("Findings");
  const finding = await page.locator("ol.findings").innerText();
  expect(finding).toContain(`from ${timeText(step.p95Before)} to ${timeText(step.p95After)}`);
  await page.locator(".failures").getByText("Service Unavailable").waitFor();
  await page.getByText(/^Report made .* by Tachograph \d+\.\d+\.\d+/).waitFor();
  await expect
    .poll(() => page.locator("a.address").getAttribute("href"))
    .toBe(`${world.url}/t/shop`);
  await expect.poll(() => page.title()).toBe("Shop · Tachograph");
  expect(requests).toEqual([url]);
  expect(complaints).toEqual([]);
});

test("zoom, filter, selection, heatmap and clock work in a report, and its URL keeps them", async () => {
  const file = await savedReport("/t/shop?sort=count");
  const { page, complaints, requests, url } = await openReport(file);
  const over = page.locator(".u-over").first();
  await over.waitFor();
  const plot = await over.boundingBox();
  if (plot === null) throw new Error("no chart");
  await page.mouse.move(plot.x + plot.width / 4, plot.y + 40);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width / 2, plot.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Show the full run" }).waitFor();
  const parameters = new URLSearchParams(new URL(page.url()).hash.slice(1));
  const range = `from=${parameters.get("from")}&until=${parameters.get("until")}`;
  const zoomed = await answer(`Summary?${range}`);
  await page.locator(".tiles").getByText(WHOLE.format(zoomed.overall.count)).waitFor();
  expectTiles(await tilesOf(page), zoomed);
  await page.getByLabel("Filter endpoints").fill("/products");
  await page.locator(".scope").getByText("2 of 13 endpoints").waitFor();
  await page.locator(".endpoints tr", { hasText: "/products/{id}" }).click();
  await page.getByText("1 endpoint selected").waitFor();
  const { hash } = zoomed.endpoints.find(
    (each: { readonly label: string }) => each.label === "GET /products/{id}",
  );
  const alone = await answer(`Summary?hash=${hash}&${range}`);
  await page.locator(".tiles").getByText(WHOLE.format(alone.overall.count)).waitFor();
  expectTiles(await tilesOf(page), alone);
  await page.getByRole("button", { name: "Heatmap" }).click();
  await page.getByText("requests in a cell").waitFor();
  await page.getByRole("button", { name: "since start" }).click();
  const tiles = await tilesOf(page);
  const { hash: fragment } = new URL(page.url());
  const again = await openReport(file, fragment);
  await again.page.getByText("requests in a cell").waitFor();
  await again.page.locator(".tiles").getByText(WHOLE.format(alone.overall.count)).waitFor();
  expect(await tilesOf(again.page)).toBe(tiles);
  await page.goBack();
  await page.goBack();
  await page.getByText("requests in a cell").waitFor({ state: "detached" });
  expect(requests).toEqual([url]);
  expect([...complaints, ...again.complaints]).toEqual([]);
});

test("an anomaly opens its incident, without a baseline", async () => {
  const { page, complaints } = await openReport(await savedReport("/t/shop"));
  await page.getByRole("button", { name: /p95 rises/ }).click();
  const during = page.locator(".measures tr", { hasText: "during" });
  await expect.poll(() => during.innerText()).toMatch(/%/);
  await expect.poll(() => page.locator(".measures tbody tr").count()).toBe(2);
  expect(complaints).toEqual([]);
});

test("a report of a filter and a range contains nothing else, and says so", async () => {
  const { from } = (await answer("Summary")).overall;
  const scope = `filter=/products&from=${from + 60}&until=${from + 120}`;
  const { page, complaints } = await openReport(await savedReport(`/t/shop?${scope}`));
  expectTiles(await tilesOf(page), await answer(`Summary?${scope}`));
  await page.getByText("Full report").waitFor();
  await page.getByText('whose label contains "/products"').waitFor();
  expect(complaints).toEqual([]);
});

test("a report without requests and measures says so", async () => {
  const file = await commandReport("1795262531000,20,/cart,200,OK,true\n", "Cart", [
    "--filter",
    "/nowhere",
  ]);
  const { page, complaints } = await world.open();
  await page.goto(pathToFileURL(file).href);
  await page.getByText("This report has no requests.").waitFor();
  expect(complaints).toEqual([]);
});

async function commandReport(
  rows: string,
  name: string,
  options: readonly string[] = [],
): Promise<string> {
  const [data, results, file] = ["data", "results.jtl", "report.html"].map((part) =>
    path.join(folder, `command-${part}`),
  ) as [string, string, string];
  rmSync(data, { recursive: true, force: true });
  writeFileSync(results, `timeStamp,elapsed,label,responseCode,responseMessage,success\n${rows}`);
  for (const words of [
    ["import", results, "--id", "own", "--name", name, "--data", data],
    ["report", "own", "-o", file, "--data", data, ...options],
  ]) {
    const { exitCode, error } = await runTachograph(words);
    if (exitCode !== 0) throw new Error(error);
  }
  return file;
}

function titlesOf(elements: Element[]): (string | null)[] {
  return elements.map((element) => element.getAttribute("title"));
}

test("hostile labels, names and messages are shown as text in a report, too", async () => {
  const name = '</script></title><!--<img src=x onerror="alert(1)">\u2028';
  const rows = HOSTILE_LABELS.map(
    (label, index) =>
      `${1_700_000_000_000 + index},5,"${label.replaceAll('"', '""')}",500,</script>,false\n`,
  );
  const { page, complaints, requests, url } = await openReport(
    await commandReport(rows.join(""), name),
  );
  await expect.poll(() => page.title()).toBe(`${name} · Tachograph`);
  await expect.poll(() => page.locator("h1").textContent()).toBe(`${name} own`);
  await page.getByRole("button", { name: `All ${HOSTILE_LABELS.length}` }).click();
  const seen = new Set<string>();
  for (let screen = 0; screen < 5; screen++) {
    const labels = page.locator(".endpoints tbody th");
    for (const title of await labels.evaluateAll(titlesOf)) seen.add(title ?? "");
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(100);
  }
  expect([...seen].toSorted()).toEqual(HOSTILE_LABELS.toSorted());
  await expect
    .poll(() => page.locator(".failures .kind .word").first().innerText())
    .toBe("500 </script>");
  expect(requests).toEqual([url]);
  expect(complaints).toEqual([]);
});

test("a report too large for one-second points uses a coarser resolution, and says so", async () => {
  // 40 endpoints, each in every second of 50 min: more than a report stores per second.
  const rows = Array.from({ length: 40 * 3000 }, (_, index) => {
    const at = 1_700_000_003_000 + Math.floor(index / 40) * 1000;
    return `${at},${20 + ((index * 7919) % 1500)},e${index % 40},200,OK,true\n`;
  });
  const file = await commandReport(rows.join(""), "long");
  const { page, complaints } = await openReport(file, "#from=1700000111&until=1700000119");
  await page.getByText(/every 5 s: ranges start and end at multiples of 5 s/).waitFor();
  // From 1700000110 to 1700000120: 10 s of 40 requests each.
  await page.locator(".tiles").getByText("400", { exact: true }).waitFor();
  expect(await tilesOf(page)).toContain("requests 400 ");
  expect(complaints).toEqual([]);
}, 120_000);
