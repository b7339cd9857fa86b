/// <reference lib="dom" />
/** What people open a run for, done as they would: counted clicks, no scrolling, at 1440 x 900. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { BURST_FROM, BURST_UNTIL, writeGeneratedRun } from "./generated-run.ts";

const SCREEN = { width: 1440, height: 900 };

let world: World;
/** p95 of the response times by label, as the file has them, in milliseconds. */
let p95Of: ReadonlyMap<string, number>;

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-jobs-"));
  try {
    const file = path.join(folder, "run.jtl");
    writeGeneratedRun(file, { isCalm: true });
    await world.import([file, "--id", "calm", "--name", "nightly"]);
    await world.command(["tests", "baseline", "calm"]);
    writeGeneratedRun(file);
    p95Of = percentilesIn(file);
    await world.import([file, "--id", "run", "--name", "nightly"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);

afterAll(() => world?.close());

/** Of labels with at least a thousand requests. */
function percentilesIn(file: string): ReadonlyMap<string, number> {
  const times = new Map<string, number[]>();
  const [head = "", ...rows] = readFileSync(file, "utf8").trimEnd().split("\n");
  const [elapsed, label] = ["elapsed", "label"].map((name) => head.split(",").indexOf(name));
  for (const row of rows) {
    const cells = row.split(",");
    const name = cells[label as number] ?? "";
    const own = times.get(name) ?? [];
    own.push(Number(cells[elapsed as number]));
    times.set(name, own);
  }
  const many = [...times].filter(([, own]) => own.length >= 1000);
  return new Map(many.map(([name, own]) => [name, rank95(own)]));
}

function rank95(times: readonly number[]): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0;
}

/** The run as a person finds it. `clicks` counts what they do. */
async function opened() {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.setViewportSize(SCREEN);
  await page.getByRole("list", { name: "Most frequent failures" }).waitFor();
  await page.waitForLoadState("networkidle");
  let clicks = 0;
  const click = async (target: Locator): Promise<void> => {
    await seen(target);
    clicks += 1;
    await target.click();
  };
  /** The element is in the window without scrolling. */
  const seen = async (target: Locator): Promise<void> => {
    const { y = 0, height = 0 } = (await target.boundingBox()) ?? {};
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(SCREEN.height);
    expect(height).toBeGreaterThan(0);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  };
  return { page, complaints, click, seen, clicks: () => clicks };
}

test("the slowest endpoint: no click", async () => {
  const { page, complaints } = await opened();
  const row = page.locator(".endpoints tbody tr.row").first();
  const [slowest] = [...p95Of].toSorted(([, left], [, right]) => right - left);
  await expect.poll(() => row.locator("th").innerText()).toBe(slowest?.[0]);
  expect(complaints).toEqual([]);
});

test("when errors began, and what they were: no click", async () => {
  const { page, seen } = await opened();
  const kinds = page.getByRole("list", { name: "Most frequent failures" }).getByRole("listitem");
  await seen(kinds.last());
  const began = await timeOn(page, BURST_FROM);
  const [first = "", second = ""] = await kinds.allInnerTexts();
  expect(first).toContain(`${began} to `);
  expect(first).toContain("503 Service Unavailable on POST /cart");
  expect(second).toContain("504 Gateway Time-out on POST /checkout/payment");
});

test("zoom to the failure: one click", async () => {
  const { page, click, seen, clicks } = await opened();
  await click(page.getByRole("button", { name: /failures in/ }));
  await expect.poll(() => new URL(page.url()).searchParams.has("from")).toBe(true);
  const { searchParams } = new URL(page.url());
  const [from, until] = ["from", "until"].map((name) => Number(searchParams.get(name)));
  expect(from).toBeLessThanOrEqual(BURST_FROM);
  expect(until).toBeGreaterThanOrEqual(BURST_UNTIL);
  expect((until as number) - (from as number)).toBeLessThan(4 * (BURST_UNTIL - BURST_FROM));
  await seen(page.locator(".charts .plot").first());
  expect(clicks()).toBe(1);
});

test("against the baseline: drawn without a click, compared with one", async () => {
  const { page, click, seen, clicks } = await opened();
  await seen(page.getByRole("button", { name: "baseline" }).first());
  await click(page.getByRole("link", { name: "Compare with baseline calm" }));
  await page.locator(".comparison tbody tr").first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/compare/calm/run");
  expect(clicks()).toBe(1);
});

test("share: the address shows a colleague the same without a key", async () => {
  const { page, click, seen, clicks } = await opened();
  await click(page.getByRole("button", { name: /failures in/ }));
  const link = page.getByRole("button", { name: "Copy link" });
  await link.waitFor();
  await seen(link);
  // The colleague's browser is signed in; a new tab asks for nothing.
  const colleague = await page.context().newPage();
  await colleague.setViewportSize(SCREEN);
  await colleague.goto(page.url());
  const title = await page.locator("#incident").innerText();
  await expect.poll(() => colleague.locator("#incident").innerText()).toBe(title);
  await expect.poll(() => colleague.locator("#key").count()).toBe(0);
  expect(clicks()).toBe(1);
});

/** A second as the page's clock writes it. */
function timeOn(page: Page, second: number): Promise<string> {
  return page.evaluate((at) => new Date(at * 1000).toLocaleTimeString("en-GB"), second);
}
