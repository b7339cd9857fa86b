/// <reference lib="dom" />
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { boxOf, plot } from "./plots.ts";
import { HOSTILE, SECONDS, STARTED_AT, writeSampled } from "./samples-run.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-samples-"));
let world: World;

beforeAll(async () => {
  process.env["TACHOGRAPH_TRACE_URL"] = "https://tempo.example/trace/{traceId}";
  world = await createWorld();
  const file = path.join(folder, "shop.jtl");
  writeSampled(file);
  await world.import([file, "--id", "shop"]);
  await world.import([file, "--id", "without", "--no-samples"]);
  await sendTraced();
}, 60_000);

afterAll(async () => {
  delete process.env["TACHOGRAPH_TRACE_URL"];
  await world?.close();
  rmSync(folder, { recursive: true });
});

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** A request of 5 ms with a trace, whose span of the shop took 4 ms, and one whose trace is none. */
async function sendTraced(): Promise<void> {
  const headers = { "X-Service-Auth": world.key };
  const request = 'label="GET /pay",elapsedMs=5,success=false,code="503",traceId';
  for (const [at, traceId] of [
    [1, TRACE],
    [2, 'a" onclick="alert(1)/../b'],
  ] as const) {
    const body = `tachograph ${request}="${traceId.replaceAll('"', String.raw`\"`)}" ${STARTED_AT + at}000\n`;
    const sent = await fetch(`${world.url}/write?db=traced`, { method: "POST", headers, body });
    expect(sent.status).toBe(204);
  }
  const span = {
    traceId: TRACE,
    spanId: "00f067aa0ba902b7",
    name: HOSTILE,
    startTimeUnixNano: `${STARTED_AT}000000000`,
    endTimeUnixNano: `${STARTED_AT}004000000`,
  };
  const attributes = [{ key: "service.name", value: { stringValue: "shop" } }];
  const scopeSpans = [{ scope: { name: "" }, spans: [span] }];
  const sent = await fetch(`${world.url}/v1/traces`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json", "X-Load-Test": "traced" },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] }),
  });
  expect(sent.status).toBe(200);
}

const BUSY = "/t/shop?failure=503+Busy";
const folds = (page: Page) => page.locator(".samples > details");

/** Times of the listed requests in seconds since the start. */
async function secondsOf(page: Page): Promise<readonly number[]> {
  const urls = await page.locator(".sample dd").filter({ hasText: "item=" }).allTextContents();
  return urls.map((url) => Number(/item=(\d+)/.exec(url)?.[1]));
}

test("a row of failures opens its requests, as text, with a keyboard", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop?clock=start");
  const row = page.locator("table.failures").getByRole("button", { name: "503 Busy" });
  await row.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => folds(page).count()).toBe(6);
  const first = folds(page).first();
  await first.locator(":scope > summary").focus();
  await page.keyboard.press("Enter");
  await first.getByText("Shop 1-3").waitFor();
  const facts = await first.locator("dd").allInnerTexts();
  expect(facts).toContain("GET https://shop.example/cart?item=60");
  expect(facts).toContain(new Date((STARTED_AT + 60) * 1000).toISOString());
  expect(facts).toContain("connect 2.0 ms, first byte 5.0 ms");
  expect(facts).toContain("sent 80 B, received 120 B");
  expect(await first.locator("pre").last().textContent()).toBe(HOSTILE);
  // Neither its elements nor its address are part of the page.
  await expect.poll(() => page.locator(".samples :is(h1, script, a)").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("the requests are those of the range and of the facets that are selected", async () => {
  const { page } = await world.openWithKey(
    `${BUSY}&from=${STARTED_AT + 61}&until=${STARTED_AT + 63}`,
  );
  await folds(page).first().waitFor();
  const seconds = await secondsOf(page);
  expect(seconds.length).toBeGreaterThan(0);
  expect(seconds.every((second) => second === 61 || second === 62)).toBe(true);
  const other = await world.openWithKey(`${BUSY}&where=threadGroup:Stock`);
  await folds(other.page).first().waitFor();
  const odd = await secondsOf(other.page);
  expect(odd.length).toBeGreaterThan(2);
  expect(odd.every((second) => second % 2 === 1)).toBe(true);
});

test("a long body is folded, and is copied whole", async () => {
  const { page } = await world.openWithKey("/t/shop?failure=500+Broken");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const first = folds(page).first();
  await first.locator(":scope > summary").click();
  const body = first.locator("details").filter({ hasText: "Response body" });
  expect(await body.locator("pre").isVisible()).toBe(false);
  await body.locator("summary").click();
  await body.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\n")).toHaveLength(40);
  await first.getByRole("button", { name: "Copy request" }).click();
  const all = await page.evaluate(() => navigator.clipboard.readText());
  expect(all).toContain("request: GET https://shop.example/cart?item=60");
  expect(all).toContain("at shop.Cart.line39");
});

test("a point of a chart shows its slowest request first, and Escape closes it", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.getByText("choose a point").waitFor();
  await page.waitForLoadState("networkidle");
  const over = await boxOf(plot(page, 0).locator(".u-over"));
  await page.mouse.click(over.x + (40.5 / SECONDS) * over.width, over.y + over.height / 2);
  await page.getByRole("heading", { name: "Slowest here" }).waitFor();
  await expect.poll(() => folds(page).count()).toBe(5);
  expect(await folds(page).first().innerText()).toContain("900");
  // A note is begun from there, not by the same click.
  const note = page.getByRole("region", { name: "Note" });
  expect(await note.count()).toBe(0);
  await page.getByRole("button", { name: "Write a note" }).click();
  await note.getByText(/^Note at /).waitFor();
  await note.getByRole("button", { name: "Cancel" }).click();
  await page.reload();
  await expect.poll(() => folds(page).count()).toBe(5);
  await page.keyboard.press("Escape");
  await expect.poll(() => folds(page).count()).toBe(0);
  await plot(page, 1).focus();
  for (const key of ["Home", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("heading", { name: "Slowest here" }).waitFor();
  expect(complaints).toEqual([]);
});

const secondOf = (second: number): string => `${STARTED_AT + second}-${STARTED_AT + second + 1}`;

test("requests of another point are not shown until its own come", async () => {
  const { page, complaints } = await world.openWithKey(`/t/shop?clock=start&at=${secondOf(60)}`);
  await expect.poll(() => folds(page).count()).toBe(5);
  const held = Promise.withResolvers<void>();
  await page.route(`**/Samples?**near=${secondOf(20)}**`, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.evaluate((at) => {
    history.pushState(null, "", `?clock=start&at=${at}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, secondOf(20));
  await page.getByRole("heading", { name: "Slowest here: +0:20" }).waitFor();
  expect(await folds(page).count()).toBe(0);
  held.resolve();
  await expect.poll(() => folds(page).count()).toBe(5);
  expect(complaints).toEqual([]);
});

test("an incident shows one request that failed in it", async () => {
  const stretch = `${STARTED_AT + 60}-${STARTED_AT + 70}`;
  const { page } = await world.openWithKey(`/t/shop?incident=${stretch}`);
  const incident = page.locator("section.incident");
  await incident.locator(".samples > details").first().waitFor();
  expect(await incident.locator(".samples > details").count()).toBe(1);
  expect(await incident.locator(".samples").innerText()).toMatch(/50[03] B/);
});

test("a box of the heatmap shows its slowest requests", async () => {
  const box = `${STARTED_AT + 60}-${STARTED_AT + 70},0-`;
  const { page } = await world.openWithKey(`/t/shop?view=heatmap&box=${box}`);
  await expect.poll(() => page.locator("section.box .samples > details").count()).toBe(5);
});

test("a link shows them, too", async () => {
  const link = await world.command(["links", "create", "shop", "--name", "for Anna"]);
  const { page } = await world.open();
  const [address, secret] = link.split("#");
  await page.goto(`${world.url}${address}?failure=503+Busy#${secret}`);
  await expect.poll(() => folds(page).count()).toBe(6);
});

test("nothing is seen of them in a run without any", async () => {
  const { page } = await world.openWithKey("/t/without?failure=503+Busy");
  await page.locator(".of-kind").first().waitFor();
  await page.waitForLoadState("networkidle");
  expect(await page.locator(".samples").count()).toBe(0);
  expect(await page.locator(".of-samples").evaluate((cell) => cell.clientHeight)).toBe(0);
  expect(await page.getByText("choose a point").count()).toBe(0);
});

test("a report has them if it is asked to, and shows them as text", async () => {
  const { page, complaints } = await world.open();
  for (const [words, requests] of [
    [[], 0],
    [["--samples"], 6],
  ] as const) {
    const file = path.join(folder, `report-${requests}.html`);
    await world.command(["report", "shop", "-o", file, ...words]);
    await page.goto(`${pathToFileURL(file).href}#failure=503+Busy`);
    await page.locator(".of-kind").first().waitFor();
    await expect.poll(() => folds(page).count()).toBe(requests);
  }
  await folds(page).first().locator(":scope > summary").click();
  expect(await folds(page).first().locator("pre").last().textContent()).toBe(HOSTILE);
  expect(complaints).toEqual([]);
});

test("the page asks whether a report has them", async () => {
  const { page } = await world.openWithKey("/t/shop");
  for (const isAsked of [false, true]) {
    await page.getByRole("button", { name: "Report…" }).click();
    await page.getByRole("checkbox", { name: "Include single requests" }).setChecked(isAsked);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save report" }).click(),
    ]);
    const file = path.join(folder, `saved-${isAsked}.html`);
    await saved.saveAs(file);
    const opened = await world.open();
    await opened.page.goto(`${pathToFileURL(file).href}#failure=503+Busy`);
    await opened.page.locator(".of-kind").first().waitFor();
    await expect.poll(() => folds(opened.page).count()).toBe(isAsked ? 6 : 0);
    await page.keyboard.press("Escape");
  }
});

test("a trace is a link by the template of who runs the server, which learns nothing of the page", async () => {
  const { page } = await world.openWithKey("/t/traced?failure=503");
  await expect.poll(() => folds(page).count()).toBe(2);
  for (const fold of await folds(page).all()) await fold.locator(":scope > summary").click();
  const links = page.locator(".sample a");
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
    `https://tempo.example/trace/${TRACE}`,
    "https://tempo.example/trace/a%22%20onclick%3D%22alert(1)%2F..%2Fb",
  ]);
  expect(await links.first().getAttribute("rel")).toBe("noopener noreferrer");
  expect(await links.first().innerText()).toBe(TRACE);
  const spans = page.getByRole("list", { name: "Longest spans" });
  expect((await spans.innerText()).trim()).toBe(`shop: ${HOSTILE}, 4 ms (80 %)`);
});
