/// <reference lib="dom" />
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryDirectory } from "../support/store-directory.ts";
import { createWorld, type World } from "./browser.ts";
import { storeNight } from "./nightly-runs.ts";

/** Start of a minute. */
const STARTED_AT = 1_790_000_040;
const SECONDS = 600;
/** In these seconds every second request fails, and the first server is busy. */
const BURST = { from: STARTED_AT + 300, until: STARTED_AT + 340 };
const HOSTS = ["web-1", "web-2"];

let world: World;

/** What Telegraf and k6 send of one second. */
function linesOf(second: number): string {
  const isBurst = second >= BURST.from && second < BURST.until;
  const at = `${second}000000000`;
  const servers = HOSTS.map((host) => {
    const busy = isBurst && host === "web-1" ? 92 : 20;
    return `cpu,host=${host} usage_user=${busy},usage_idle=${100 - busy} ${at}\n`;
  });
  const requests = Array.from({ length: 10 }, (_, index) => {
    const failed = isBurst && index % 2 === 0;
    const tags = `name=GET\\ /,method=GET,status=${failed ? 503 : 200},expected_response=${!failed}`;
    return `http_req_duration,${tags} value=20 ${second}${String(100 + index * 80)}000000\n`;
  });
  return [...servers, ...requests].join("");
}

beforeAll(async () => {
  world = await createWorld();
  const lines = Array.from({ length: SECONDS }, (_, index) => linesOf(STARTED_AT + index));
  const response = await fetch(`${world.url}/write?db=run&precision=ns`, {
    method: "POST",
    headers: { "X-Service-Auth": world.key },
    body: lines.join(""),
  });
  if (response.status !== 204) throw new Error(`not taken: ${response.status}`);
}, 60_000);

afterAll(() => world?.close());

test("processors are drawn by host at once, and the address says so", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  const chart = page.getByRole("slider", { name: "CPU by host over time: web-1, web-2" });
  await chart.waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get("measures")).toBe("CPU by host");
  await chart.focus();
  await page.keyboard.press("Home");
  // 80 % are idle.
  await expect.poll(() => chart.getAttribute("aria-valuetext")).toContain("web-1 20 %, web-2 20 %");
  // In a browser that remembers nothing, the address alone brings the same charts.
  const { page: other } = await world.openWithKey("/t/run?measures=");
  await other.locator(".charts .plot").first().waitFor();
  await other.waitForLoadState("networkidle");
  expect(await other.getByRole("region", { name: "Measures" }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("measures are chosen, drawn on the same axis, and remembered for the name", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: "Choose measures" }).click();
  await page.getByRole("checkbox", { name: "CPU by host" }).uncheck();
  await page.getByRole("checkbox", { name: "cpu.usage_user" }).check();
  await page.keyboard.press("Escape");
  const charts = page.getByRole("region", { name: "Measures" });
  const chart = charts.getByRole("slider", { name: /^cpu.usage_user over time: / });
  await chart.waitFor();
  expect(new URL(page.url()).searchParams.get("measures")).toBe("cpu.usage_user");
  // A line for each server.
  for (const host of HOSTS) await charts.getByRole("button", { name: host }).waitFor();
  // The same windows as the counts.
  const requests = page.getByRole("slider", { name: /^Requests per second/ });
  for (const name of ["aria-valuemax", "aria-valuetext"]) {
    const text = await requests.getAttribute(name);
    await expect.poll(() => chart.getAttribute(name)).toBe(text);
  }
  await page.goto(`${world.url}/t/run`);
  await chart.waitFor();
  expect(await page.getByRole("slider", { name: /^CPU by host/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("tags of measures filter their series", async () => {
  const { page, complaints } = await world.openWithKey("/t/run?measures=cpu.usage_user");
  const charts = page.getByRole("region", { name: "Measures" });
  await charts.getByRole("button", { name: "web-2" }).waitFor();
  await charts.getByRole("button", { name: "host 2 values: filter" }).click();
  // A value each second.
  await page.getByRole("checkbox", { name: "web-1 600" }).check();
  await charts.getByRole("button", { name: "web-2" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  expect(new URL(page.url()).searchParams.get("tags")).toBe("host:web-1");
  const chart = charts.getByRole("slider", { name: "cpu.usage_user over time: cpu.usage_user" });
  await chart.waitFor();
  await charts.getByRole("button", { name: "All of host" }).click();
  await charts.getByRole("button", { name: "web-2" }).waitFor();
  expect(complaints).toEqual([]);
});

test("an anomaly says which measures moved with it, and a click draws one", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: /failures in/ }).click();
  const together = page.locator(".moved-together button");
  // Of the first server alone.
  await expect
    .poll(() => together.allInnerTexts())
    .toEqual(["web-1 cpu.usage_user 20 to 92 %", "web-1 cpu.usage_idle 80 to 8 %"]);
  await expect.poll(() => together.first().locator("path").getAttribute("d")).toMatch(/^M0 /);
  await together.first().click();
  const chart = page.getByRole("slider", { name: /^cpu.usage_user over time: / });
  await chart.waitFor();
  await together.first().click();
  await chart.waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});

test("until longer points come, the shorter ones keep their own rates", async () => {
  const lines = Array.from({ length: SECONDS * 10 }, (_, index) => {
    const tags = "name=GET\\ /old,method=GET,status=302,expected_response=true";
    return `http_req_duration,${tags} value=1 ${STARTED_AT * 1000 + index * 100 + 50}000000\n`;
  });
  const response = await fetch(`${world.url}/write?db=moved&precision=ns`, {
    method: "POST",
    headers: { "X-Service-Auth": world.key },
    body: lines.join(""),
  });
  expect(response.status).toBe(204);
  const { page, complaints } = await world.openWithKey("/t/moved?resolution=1");
  const codes = page.getByRole("slider", { name: /^Codes/ });
  await codes.focus();
  await page.keyboard.press("Home");
  const rate = "302 passed 10 /s";
  await expect.poll(() => codes.getAttribute("aria-valuetext")).toContain(rate);
  const held = Promise.withResolvers<void>();
  await page.route(/MeasureSeries.*resolution=60/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: /^Resolution/ }).click();
  await page.getByRole("button", { name: "1 min", exact: true }).click();
  const requests = page.getByRole("slider", { name: /^Requests per second/ });
  await expect.poll(() => requests.getAttribute("aria-valuemax")).toBe(String(SECONDS / 60 - 1));
  await codes.focus();
  await page.keyboard.press("Home");
  expect(await codes.getAttribute("aria-valuetext")).toContain(rate);
  held.resolve();
  await expect.poll(() => codes.getAttribute("aria-valuemax")).toBe(String(SECONDS / 60 - 1));
  expect(await codes.getAttribute("aria-valuetext")).toContain(rate);
  expect(complaints).toEqual([]);
});

test("a run without measures has no place for them", async () => {
  await storeNight(world, { name: "plain", night: 0, id: "plain" });
  const { page } = await world.openWithKey("/t/plain?measures=cpu.usage_user");
  await page.locator(".endpoints tbody tr.row").first().waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Choose measures" }).count()).toBe(0);
  await expect.poll(() => page.getByRole("region", { name: "Measures" }).count()).toBe(0);
});

test("measures without requests are drawn, in a report, too", async () => {
  const lines = Array.from({ length: SECONDS }, (_, index) => {
    const at = `${STARTED_AT + index}000000000`;
    return `mem,host=a used=${2_000_000 + index} ${at}\ncpu,host=a usage_user=20 ${at}\n`;
  });
  const response = await fetch(`${world.url}/write?db=alone&precision=ns`, {
    method: "POST",
    headers: { "X-Service-Auth": world.key },
    body: lines.join(""),
  });
  expect(response.status).toBe(204);
  const { page, complaints } = await world.openWithKey("/t/alone?clock=utc");
  const used = page.getByRole("slider", { name: /^Memory by host over time/ });
  await used.waitFor();
  await used.focus();
  await page.keyboard.press("End");
  // The average of the last two of 600 s from 14:14:00 are 2,000,598.5 bytes.
  await expect.poll(() => used.getAttribute("aria-valuetext")).toBe("14:23:58: a 2.00 MB");
  await page.getByRole("button", { name: "Choose measures" }).click();
  await page.getByRole("checkbox", { name: "Memory by host" }).uncheck();
  await used.waitFor({ state: "detached" });
  const file = path.join(temporaryDirectory(), "alone.html");
  await world.command(["report", "alone", "-o", file]);
  const report = await world.open();
  await report.page.goto(pathToFileURL(file).href);
  await report.page.getByRole("slider", { name: /^Memory by host over time/ }).waitFor();
  expect([...complaints, ...report.complaints]).toEqual([]);
});

test("a report draws the measures that it was made with, without a network", async () => {
  const response = await fetch(`${world.url}/Api/LoadTests/run/Report`, {
    headers: { "X-Service-Auth": world.key },
  });
  const file = path.join(temporaryDirectory(), "run.html");
  writeFileSync(file, await response.text());
  const { page, complaints } = await world.open();
  await page.context().setOffline(true);
  await page.goto(`${pathToFileURL(file).href}#measures=cpu.usage_user`);
  const charts = page.getByRole("region", { name: "Measures" });
  const chart = charts.getByRole("slider", { name: /^cpu.usage_user over time: / });
  await chart.waitFor();
  for (const host of HOSTS) await charts.getByRole("button", { name: host }).waitFor();
  // Of each of two servers, what it used and what was idle.
  await page.getByText("4 series of measures, one value every second.").waitFor();
  await page.getByRole("button", { name: "Choose measures" }).click();
  await page.getByRole("checkbox", { name: "cpu.usage_idle" }).check();
  await page.keyboard.press("Escape");
  await charts.getByRole("slider", { name: /^cpu.usage_idle over time: / }).waitFor();
  expect(complaints).toEqual([]);
});
