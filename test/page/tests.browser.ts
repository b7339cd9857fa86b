import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { storeHistory, storeNight } from "./nightly-runs.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-tests-"));
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await storeHistory(world);
  await storeNight(world, { name: "search", night: 3, id: "search-3" });
  await world.command(["tests", "tag", "night-14", "thresholds-failed"]);
  await world.command(["tests", "tag", "night-15", "thresholds-passed"]);
  await world.command(["tests", "tag", "search-3", "thresholds-failed"]);
});

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

test("home shows each test with its last change, which leads to its history", async () => {
  const { page, complaints } = await world.openWithKey("/");
  const row = page.getByRole("row", { name: "checkout" });
  await row.getByText("fails more since night-13:").waitFor();
  await row.getByRole("img", { name: "1 of 2 evaluated runs failed, the latest passed" }).waitFor();
  const search = page.getByRole("row", { name: "search" });
  await search.getByText("too few runs").waitFor();
  await expect
    .poll(() => search.getByRole("link", { name: "✗ last run failed" }).getAttribute("href"))
    .toContain("/t/search-3");
  await expect.poll(() => row.getByText("last run failed").count()).toBe(0);
  await expect.poll(() => page.title()).toBe("Tests · Tachograph");
  await row.getByText("fails more since night-13:").click();
  await page.getByRole("heading", { name: "History of checkout" }).waitFor();
  expect(new URL(page.url()).searchParams.get("at")).toBe("night-13");
  await page.goBack();
  await row.getByRole("link", { name: "16", exact: true }).click();
  await page.getByRole("heading", { name: "Runs 16" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a search shows tests by name, and keys lead to a test", async () => {
  const { page } = await world.openWithKey("/");
  await page.getByRole("row", { name: "checkout" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("sea");
  await page.getByRole("row", { name: "checkout" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?search=sea");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "History of search" }).waitFor();
});

test("the list asks once for the figures of all rows, which can be sorted", async () => {
  const { page } = await world.openWithKey("/");
  const asked: string[] = [];
  page.on("request", (request) => void asked.push(new URL(request.url()).pathname));
  await page.goto(`${world.url}/runs`);
  const first = page.locator(".load-tests tbody tr").first();
  await expect.poll(() => first.locator(".p95").innerText()).toMatch(/\d/);
  await page.waitForLoadState("networkidle");
  expect(asked.filter((url) => /Summary|Percentiles/.test(url))).toEqual([]);
  await page.getByRole("button", { name: "p95" }).click();
  // Of the slower nights, the one with the most noise.
  await expect.poll(() => first.innerText()).toMatch(/night-1\d/);
  await page.getByRole("button", { name: "p95" }).click();
  await expect.poll(() => first.innerText()).toMatch(/night-\d\b|search-3/);
  await page.getByRole("columnheader", { name: "thresholds" }).getByRole("button").click();
  await first.getByRole("img", { name: "failed its thresholds" }).waitFor();
});

test("several ticked runs are compared, and another one can be the base", async () => {
  const { page, complaints } = await world.openWithKey("/runs");
  for (const night of [5, 13, 11]) await page.getByLabel(`Select checkout night-${night}`).check();
  const bar = page.getByRole("region", { name: "Selected runs" });
  await bar.getByText(/3 runs with base checkout night-5/).waitFor();
  await bar.getByRole("link", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "3 runs compared" }).waitFor();
  const rows = page.locator(".runs-table tbody tr");
  const ids = () => rows.locator(".id").allInnerTexts();
  await expect.poll(ids).toEqual(["night-5", "night-11", "night-13"]);
  const p95 = () => rows.nth(1).locator("td").nth(8).innerText();
  await expect.poll(p95).toMatch(/\+\d+/);
  await page.getByRole("button", { name: "p50" }).click();
  await page.locator(".runs-matrix .row-name").first().click();
  await expect.poll(() => new URL(page.url()).searchParams.get("endpoint")).not.toBe(null);
  await page
    .getByRole("region", { name: "Runs over time" })
    .getByText(/^p50 of /)
    .waitFor();
  await rows.nth(2).getByRole("button", { name: "Make base" }).click();
  await expect.poll(ids).toEqual(["night-13", "night-5", "night-11"]);
  await expect.poll(p95).toMatch(/−\d+/);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Report" }).click();
  const file = path.join(folder, "comparison.html");
  await (await saved).saveAs(file);
  expect(complaints).toEqual([]);
  const report = await world.open();
  await report.page.context().setOffline(true);
  await report.page.goto(pathToFileURL(file).href);
  await report.page.getByRole("heading", { name: "3 runs compared" }).waitFor();
  const shown = report.page.locator(".runs-table tbody tr");
  expect(await shown.allInnerTexts()).toEqual(
    (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s*Make base/g, "")),
  );
  await report.page.getByRole("button", { name: "p99" }).click();
  await report.page.locator(".runs-matrix .row-name").first().click();
  const over = report.page.getByRole("region", { name: "Runs over time" });
  await over.getByText(/^p99 of /).waitFor();
  await over.getByRole("slider").waitFor();
  expect(report.complaints).toEqual([]);
});
