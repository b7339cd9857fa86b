import { setTimeout as delay } from "node:timers/promises";
import type { Page, Request } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { sendLive } from "./send-live.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

interface Asked {
  readonly paths: readonly string[];
  /** At least those asked for: a busy machine sends later than every second. */
  readonly seconds: number;
}

/** What a page asks for while a second of data comes every second. */
async function askedIn(page: Page, id: string, seconds: number): Promise<Asked> {
  const beganAtMs = performance.now();
  const asked: string[] = [];
  const note = (request: Request): void => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/Api/")) asked.push(pathname);
  };
  page.on("request", note);
  for (let second = 0; second < seconds; second++) {
    await Promise.all([sendLive(world, id, 1), delay(1000)]);
  }
  page.off("request", note);
  return { paths: asked, seconds: (performance.now() - beganAtMs) / 1000 };
}

// These tests mostly wait for data to arrive, so they run concurrently. Each has its own `expect`, as Vitest asks for:
// the global one knows no test once another one has ended.
test.concurrent("a page follows a running run by its stream, with at most 1.2 requests a second", async ({
  expect,
}) => {
  await sendLive(world, "live", 300);
  const { page, complaints } = await world.openWithKey("/t/live");
  const streaming = page.waitForRequest(/\/Events\/Stream$/);
  await page.locator(".tiles").getByText("300", { exact: true }).waitFor();
  await streaming;
  await askedIn(page, "live", 5);
  const before = await page.locator(".tiles").innerText();
  const asked = await askedIn(page, "live", 40);
  expect(asked.paths.length / asked.seconds).toBeLessThanOrEqual(1.2);
  expect(asked.paths.filter((each) => each === "/Api/LoadTests/live")).toEqual([]);
  expect(await page.locator(".tiles").innerText()).not.toBe(before);
  await page.getByRole("button", { name: "Pause" }).click();
  expect(complaints).toEqual([]);
}, 120_000);

test.concurrent("without a stream, the page asks for a running run", async ({ expect }) => {
  await sendLive(world, "asked", 300);
  const { page } = await world.openWithKey("/");
  await page.route(/\/Events\/Stream$/, (route) => route.abort());
  await page.goto(`${world.url}/t/asked`);
  await page.locator(".tiles").getByText("300", { exact: true }).waitFor();
  const before = await page.locator(".tiles").innerText();
  const asked = await askedIn(page, "asked", 18);
  expect(asked.paths.filter((each) => each === "/Api/LoadTests/asked").length).toBeGreaterThan(1);
  expect(await page.locator(".tiles").innerText()).not.toBe(before);
}, 120_000);

test.concurrent("a stream that is cut is opened again, and its windows are not shown as those of now", async ({
  expect,
}) => {
  await sendLive(world, "cut", 300);
  const { page } = await world.openWithKey("/");
  const now = Math.floor(Date.now() / 1000);
  const window = { from: now - 20, until: now - 10, requests: 10, failedRequests: 0 };
  const limit = { failIf: "p95 > 5ms over 10s", figure: "p95", unit: "seconds", comparison: ">" };
  const broken = { ...limit, bound: 0.005, isBroken: true, fails: true, measured: 0.012, window };
  const streams: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/Events/Stream")) streams.push(request.url());
  });
  // As a proxy with a time limit does.
  await page.route(
    /\/Events\/Stream$/,
    (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: `event: thresholds\ndata: ${JSON.stringify([broken])}\n\n`,
      }),
    { times: 1 },
  );
  await page.goto(`${world.url}/t/cut`);
  await page.locator(".tiles").getByText("300", { exact: true }).waitFor();
  await expect.poll(() => streams.length).toBeGreaterThan(0);
  await page.waitForTimeout(500);
  expect(await page.getByText("✗ Broken").count()).toBe(0);
  await expect.poll(() => streams.length, { timeout: 15_000 }).toBeGreaterThan(1);
}, 60_000);

test.concurrent("a page that was opened before the first data goes live with them", async ({
  expect,
}) => {
  const headers = { "X-Service-Auth": world.key, "Content-Type": "application/json" };
  const body = JSON.stringify({ id: "early", name: "early" });
  await fetch(`${world.url}/Api/LoadTests`, { method: "POST", headers, body });
  const thresholds = JSON.stringify({ thresholds: [{ failIf: ["throughput < 1/s"] }] });
  await fetch(`${world.url}/Api/Thresholds/early`, { method: "PUT", headers, body: thresholds });
  const { page, complaints } = await world.openWithKey("/t/early");
  await page.getByText("No requests yet.").waitFor();
  const asked = (): Promise<boolean> =>
    page.evaluate(() =>
      performance.getEntriesByType("resource").some(({ name }) => name.includes("/Verdict")),
    );
  await expect.poll(asked).toBe(true);
  // Time to draw the answer.
  await page.waitForTimeout(300);
  expect(await page.getByText("✗ Failed").count()).toBe(0);
  await sendLive(world, "early", 30);
  await page.locator(".tiles").getByText("30", { exact: true }).waitFor({ timeout: 15_000 });
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByText("Passed so far").waitFor();
  expect(complaints).toEqual([]);
}, 60_000);

test.concurrent("a verdict is of the run so far until that of the finished run comes", async ({
  expect,
}) => {
  const headers = { "X-Service-Auth": world.key, "Content-Type": "application/json" };
  const thresholds = JSON.stringify({ thresholds: [{ failIf: ["p95 > 1s"] }] });
  await fetch(`${world.url}/Api/Thresholds/ending`, { method: "PUT", headers, body: thresholds });
  await sendLive(world, "ending", 60);
  const { page, complaints } = await world.openWithKey("/t/ending");
  await page.getByText("✓ Passed so far").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/Verdict", async (route) => {
    await held.promise;
    await route.continue();
  });
  const body = JSON.stringify({ finished: true });
  await fetch(`${world.url}/Api/LoadTests/ending`, { method: "PATCH", headers, body });
  await page.getByRole("button", { name: "Pause" }).waitFor({ state: "detached" });
  expect(await page.locator(".verdict").innerText()).toBe("✓ Passed so far: 1 threshold");
  held.resolve();
  await page.getByText("✓ Passed: 1 threshold").waitFor();
  expect(complaints).toEqual([]);
}, 60_000);

test.concurrent("a broken window is shown with its figures and its start, and its limit as a line", async ({
  expect,
}) => {
  const response = await fetch(`${world.url}/Api/Thresholds/watched`, {
    method: "PUT",
    headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
    body: JSON.stringify({
      thresholds: [{ failIf: ["p95 > 10ms over 5s", "p99 > 30ms over 5s"] }],
    }),
  });
  expect(response.status).toBe(204);
  await sendLive(world, "watched", 30);
  const { page, complaints } = await world.openWithKey("/t/watched");
  const sending = askedIn(page, "watched", 15);
  const now = page.getByRole("list", { name: "Thresholds now" });
  // Each request takes 12.5 ms, one a second, from 30 s ago on: two windows of five seconds have broken it after ten.
  await now
    .getByText(
      /^✗ Broken since [\d:]+ p95 > 10ms over 5s: 13 ms, 5 requests from [\d:]+ to [\d:]+$/,
    )
    .waitFor();
  await now.getByText("Now p99 13 ms (limit 30 ms)").waitFor();
  await page.getByText(/^✗ Failed: p95 13 ms \(limit 10 ms\), 5 requests from/).waitFor();
  const limits = page.getByRole("button", { name: /^p9\d > / });
  await expect
    .poll(() => limits.allInnerTexts())
    .toEqual(["p95 > 10ms over 5s", "p99 > 30ms over 5s"]);
  await sending;
  expect(complaints).toEqual([]);
}, 120_000);
