/// <reference lib="dom" />
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Tab, type World } from "./browser.ts";
import {
  BURST_FROM,
  BURST_UNTIL,
  SECONDS,
  STARTED_AT,
  STEP_AT,
  writeGeneratedRun,
} from "./generated-run.ts";
import { boxOf, inkOfAxis, plot, readRow, underFloor, xOf } from "./plots.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-charts-"));
let world: World;

beforeAll(async () => {
  world = await createWorld();
  const file = path.join(folder, "run.jtl");
  writeGeneratedRun(file, { requestsPerSecond: 100 });
  await world.import([file, "--id", "run", "--name", "checkout"]);
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

/** A tab with the load test, all charts drawn. */
async function opened(search = ""): Promise<Tab> {
  const tab = await world.openWithKey(`/t/run${search}`);
  await tab.page.locator(".u-over").first().waitFor();
  await tab.page.waitForLoadState("networkidle");
  return tab;
}

/** The response of the service, without the page. */
async function answer<Answer>(operation: string): Promise<Answer> {
  const url = `${world.url}/Api/LoadTests/run/${operation}`;
  const response = await fetch(url, { headers: { "X-Service-Auth": world.key } });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

interface Series {
  readonly labels: readonly number[];
  readonly count: readonly number[];
  readonly percentiles: Readonly<Record<string, readonly number[]>>;
}

function hashOf(label: string): string {
  return createHash("sha1").update(label).digest("hex");
}

const PATIENTLY = { timeout: 20_000 };

const ERR = "204 10 74 255";
const NOTHING = "0 0 0 0";

test("a kind of failure marks its seconds under each chart, opens its endpoints, and is removed", async () => {
  const { page, complaints } = await opened();
  const kind = page.getByRole("button", { name: "503 Service Unavailable", exact: true });
  await kind.click();
  expect(new URL(page.url()).searchParams.get("failure")).toBe("503 Service Unavailable");
  await page.getByText("503 marked").waitFor();
  const [during, after] = [
    await xOf(page, (BURST_FROM + BURST_UNTIL) / 2),
    await xOf(page, BURST_UNTIL + 60),
  ];
  for (const chart of [0, 1, 2]) {
    await expect.poll(() => underFloor(page, chart, during), PATIENTLY).toBe(ERR);
    await expect.poll(() => underFloor(page, chart, after)).toBe(NOTHING);
  }
  const [failures] = await answer<readonly { kinds: readonly Kind[] }[]>("Failures?merge=true");
  const [first] = failures?.kinds ?? [];
  const rows = page.locator(".failures .of-kind:has(.kind)");
  await expect.poll(() => rows.count()).toBe(first?.endpoints.length);
  await expect.poll(() => rows.first().innerText()).toContain(String(first?.endpoints[0]?.count));
  await page.reload();
  await rows.first().waitFor();
  await page.keyboard.press("Escape");
  await rows.first().waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("failure")).toBeNull();
  expect(complaints).toEqual([]);
});

interface Kind {
  readonly endpoints: readonly { readonly label: string; readonly count: number }[];
}

const MANY = [
  "GET /",
  "GET /search",
  "GET /products",
  "GET /products/{id}",
  "GET /categories/{id}",
  "POST /cart",
  "GET /cart",
  "GET /checkout",
  "POST /checkout/payment",
];

/** Seconds per point of percentiles, which can be longer than for counts. */
async function percentileSeconds(page: Page): Promise<number> {
  const text = await page.locator(".spread").innerText();
  return Number(/(\d+) s$/.exec(text)?.[1] ?? Number.parseInt(text, 10));
}

test("nine endpoints are shown merged, with a band from the lowest to the highest", async () => {
  const hashes = MANY.map(hashOf).join(",");
  const { page, complaints } = await opened(`?endpoints=${hashes}`);
  const resolution = await percentileSeconds(page);
  const second = STARTED_AT + 900;
  await page.mouse.move(await xOf(page, second), (await boxOf(plot(page, 0))).y + 60);
  const each = await answer<readonly Series[]>(
    `Percentiles?hashes=${hashes}&resolution=${resolution}&percent=95`,
  );
  const window = second - (second % resolution);
  const values = each.map(
    ({ labels, percentiles }) => percentiles["p95"]?.[labels.indexOf(window)],
  );
  const known = values.flatMap((value) => (value === undefined ? [] : [value * 1000]));
  const [low, high] = [Math.min(...known), Math.max(...known)].map((ms) => ms.toFixed(0));
  await expect.poll(() => readRow(page, 0, "lowest")).toContain(`${low} to ${high} ms`);
  await expect
    .poll(() => page.locator(".chart").nth(1).locator(".line-names").innerText())
    .toContain("9 endpoints");
  expect(complaints).toEqual([]);
});

test("lines and heatmaps have an axis of response times", async () => {
  for (const view of ["lines", "heatmap"]) {
    const { page } = await opened(`?view=${view}`);
    await page.waitForLoadState("networkidle");
    await expect.poll(() => inkOfAxis(page, 0)).toBeGreaterThan(100);
  }
});

test("a few endpoints have a heatmap each, with percentiles by column", async () => {
  const hashes = ["GET /products/{id}", "POST /checkout/payment"].map(hashOf);
  const { page, complaints } = await opened(`?view=heatmap&endpoints=${hashes.join(",")}`);
  await page.getByText("each strip has its own colour scale").waitFor();
  // The key has no effect here, so that lines are unchanged later.
  await page.keyboard.press("l");
  expect(new URL(page.url()).searchParams.get("scale")).toBeNull();
  await expect.poll(() => page.locator(".strip").count()).toBe(2);
  const resolution = await percentileSeconds(page);
  const second = STARTED_AT + 1000;
  const { y, height } = await boxOf(plot(page, 0).locator(".u-over"));
  await page.mouse.move(await xOf(page, second), y + height / 2);
  await page.locator(".cell:not([hidden])").waitFor();
  for (const [chart, hash] of hashes.entries()) {
    const query = `hash=${hash}&resolution=${resolution}&percent=50,95,99`;
    const [series] = await answer<readonly Series[]>(`Percentiles?${query}`);
    const point = series?.labels.indexOf(second - (second % resolution)) ?? -1;
    const texts = ["p50", "p95", "p99"].map((name) =>
      ((series?.percentiles[name]?.[point] ?? 0) * 1000).toFixed(0),
    );
    await expect.poll(() => readRow(page, chart, "p50")).toContain(texts.join(" · "));
  }
  expect(complaints).toEqual([]);
});

test("arrow keys read out a focused chart, window by window", async () => {
  const { page, complaints } = await opened();
  const resolution = Number.parseInt(await page.locator(".spread").innerText(), 10);
  const slider = page.getByRole("slider", { name: /^Requests per second/ });
  await slider.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("ArrowLeft");
  const last = STARTED_AT + SECONDS - 1;
  const window = last - (last % resolution) - 11 * resolution;
  const [merged] = await answer<readonly Series[]>(
    `Percentiles?merge=true&resolution=${resolution}`,
  );
  const requests = (merged?.count[merged.labels.indexOf(window)] ?? 0) / resolution;
  const text = (await slider.getAttribute("aria-valuetext")) ?? "";
  expect(text).toContain(`requests ${Math.round(requests)} /s`);
  await page.locator(".hairline:not([hidden])").first().waitFor();
  // The other charts show the same window, and the range stays.
  await expect.poll(() => readRow(page, 0, "p95")).toMatch(/\d/);
  expect(new URL(page.url()).search).toBe("");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".hairline:not([hidden])").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a drag zooms to whole points, and a double click goes back without requesting loaded data again", async () => {
  const { page, complaints } = await opened();
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/Percentiles")) asked.push(request.url());
  });
  const whole = await page.locator(".tiles").innerText();
  const resolution = Number.parseInt(await page.locator(".spread").innerText(), 10);
  const y = (await boxOf(plot(page, 1))).y + 40;
  await page.mouse.move(await xOf(page, STARTED_AT + 600), y);
  await page.mouse.down();
  await page.mouse.move(await xOf(page, STARTED_AT + 1000), y, { steps: 5 });
  await page.mouse.up();
  await page.getByRole("button", { name: "Show the full run" }).waitFor();
  const { searchParams } = new URL(page.url());
  const [from, until] = [Number(searchParams.get("from")), Number(searchParams.get("until"))];
  expect([from % resolution, until % resolution]).toEqual([0, 0]);
  expect(Math.abs(from - (STARTED_AT + 600))).toBeLessThanOrEqual(resolution);
  expect(Math.abs(until - (STARTED_AT + 1000))).toBeLessThanOrEqual(resolution);
  // Finer points and the statistics of the range are loaded.
  await page.getByText("2 s per point").waitFor();
  const tiles = page.locator(".tiles");
  await expect.poll(() => tiles.innerText(), PATIENTLY).not.toBe(whole);
  const canvas = await plot(page, 0).locator("canvas").elementHandle();
  asked.length = 0;
  await plot(page, 1).locator(".u-over").dblclick();
  await expect.poll(() => tiles.innerText(), PATIENTLY).toBe(whole);
  await page.getByText("5 s per point").waitFor();
  expect(asked.filter((url) => url.includes("merge=true"))).toEqual([]);
  expect(new URL(page.url()).search).toBe("");
  await page.goBack();
  // One drag is one entry in the history.
  expect(new URL(page.url()).searchParams.get("from")).toBe(String(from));
  await page.goBack();
  expect(new URL(page.url()).search).toBe("");
  // The chart was updated in place: nothing flickers, and the cursor stays.
  expect(await canvas?.evaluate((element) => element.isConnected)).toBe(true);
  expect(complaints).toEqual([]);
});

test("hovering over a row shows its line without a request, and hides it again", async () => {
  const { page, complaints } = await opened();
  await page.locator(".endpoints .spark").first().waitFor();
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(request.url()));
  const row = page.locator(".endpoints tbody tr", { hasText: "/checkout/payment" });
  await row.hover();
  await page.locator(".preview-name", { hasText: "/checkout/payment" }).waitFor();
  await page.mouse.move(5, 5);
  await page.locator(".preview-name").waitFor({ state: "detached" });
  // The sparklines of the table are requested as rows scroll into view.
  expect(asked.filter((url) => !url.endsWith("percent=95"))).toEqual([]);
  expect(complaints).toEqual([]);
});

test("charts take the colours of the theme when it changes", async () => {
  const { page } = await opened("?failure=503+Service+Unavailable");
  const x = await xOf(page, (BURST_FROM + BURST_UNTIL) / 2);
  await expect.poll(() => underFloor(page, 0, x), PATIENTLY).toBe(ERR);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => underFloor(page, 0, x), PATIENTLY).toBe("255 107 107 255");
});

test("an anomaly sets the range around it and selects its endpoints", async () => {
  const { page, complaints } = await opened();
  await page.getByRole("button", { name: /p95 rises from .* under \/cart and \/checkout/ }).click();
  const { searchParams } = new URL(page.url());
  const [from, until] = [Number(searchParams.get("from")), Number(searchParams.get("until"))];
  expect(from).toBeLessThan(STEP_AT);
  expect(until).toBeGreaterThan(STEP_AT);
  expect((searchParams.get("endpoints") ?? "").split(",")).toContain(hashOf("POST /cart"));
  expect(complaints).toEqual([]);
});

test("chart data is available as a table for screen readers", async () => {
  const { page, complaints } = await opened();
  const button = page.getByRole("button", { name: "Chart data as a table" });
  await button.focus();
  await page.keyboard.press("Enter");
  expect(new URL(page.url()).searchParams.get("numbers")).toBe("shown");
  const table = page.getByRole("region", { name: "Chart data" });
  const times = ["p99", "p95", "average", "p50", "p99 of the highest second"];
  const heads = ["from", ...times, "requests", "active users", "failed"];
  const classes = ["4xx", "5xx"];
  await expect
    .poll(() => table.locator("th[scope=col]").allInnerTexts())
    .toEqual([...heads, ...classes, "received"]);
  const resolution = Number.parseInt(await page.locator(".spread").innerText(), 10);
  const query = `merge=true&resolution=${resolution}&percent=95`;
  const [merged] = await answer<readonly Series[]>(`Percentiles?${query}`);
  await expect.poll(() => table.locator("tbody tr").count()).toBe(merged?.labels.length);
  const p95 = `${((merged?.percentiles["p95"]?.[100] ?? 0) * 1000).toFixed(0)} ms`;
  await expect
    .poll(() => table.locator("tbody tr").nth(100).locator("td").nth(1).innerText())
    .toBe(p95);
  expect(complaints).toEqual([]);
});

test("response times fill the window at f, can be dragged, and have the same points on a narrow screen", async () => {
  const { page, complaints } = await opened();
  const points = page.locator(".spread");
  const wide = await points.innerText();
  const { height } = await boxOf(plot(page, 0));
  await page.waitForLoadState("networkidle");
  await page.keyboard.press("f");
  const full = 800 - 140;
  await expect.poll(async () => (await boxOf(plot(page, 0))).height).toBe(full);
  const { y } = await boxOf(plot(page, 0));
  expect([y > 0, y + full <= 800]).toEqual([true, true]);
  await page.keyboard.press("f");
  await expect.poll(async () => (await boxOf(plot(page, 0))).height).toBe(height);
  const handle = page.getByRole("separator", { name: "Height of the chart of response times" });
  const grip = await boxOf(handle);
  await page.mouse.move(grip.x + 300, grip.y + 4);
  await page.mouse.down();
  await page.mouse.move(grip.x + 300, grip.y + 64, { steps: 3 });
  await page.mouse.up();
  await expect.poll(async () => (await boxOf(plot(page, 0))).height).toBe(height + 60);
  expect(new URL(page.url()).searchParams.get("height")).toBe(String(height + 60));
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForLoadState("networkidle");
  expect(await points.textContent()).toBe(wide);
  expect(complaints).toEqual([]);
});

test("errors have an area for each class of code, as a share of all requests", async () => {
  // The burst lies within a minute: the first of two points.
  const from = BURST_FROM - (BURST_FROM % 60);
  const minute = `from=${from}&until=${from + 60}`;
  const [failures] = await answer<readonly Failures[]>(`Failures?merge=true&${minute}`);
  const { overall } = await answer<{ readonly overall: { readonly count: number } }>(
    `Summary?limit=1&${minute}`,
  );
  const { page, complaints } = await opened(
    `?from=${from}&until=${from + 120}&resolution=60&numbers=shown`,
  );
  const table = page.getByRole("region", { name: "Chart data" });
  const heads = table.locator("th[scope=col]");
  const kinds = failures?.kinds.filter(({ code }) => code.startsWith("5")) ?? [];
  const share = kinds.reduce((sum, { count }) => sum + count, 0) / overall.count;
  expect(share).toBeGreaterThan(0.05);
  await expect.poll(() => heads.allInnerTexts()).toContain("5xx");
  const column = (await heads.allInnerTexts()).indexOf("5xx") - 1;
  const text = await table.locator("tbody td").nth(column).innerText();
  expect(text).toBe(`${Math.round(share * 100)} %`);
  expect(complaints).toEqual([]);
});

interface Failures {
  readonly kinds: readonly { readonly code: string; readonly count: number }[];
}
