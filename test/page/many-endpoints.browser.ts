/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

/**
 * More than fit into a list in memory, so that the service uses its path for very many endpoints.
 */
const ENDPOINTS = 20_000;
const SECONDS = 300;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-many-"));
  try {
    const file = path.join(folder, "many.jtl");
    writeFileSync(file, results());
    await world.import([file, "--id", "many", "--name", "Many"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

afterAll(() => world?.close());

/** Endpoint n takes n milliseconds, three times; the last one has one more request. */
function results(): string {
  const rows = ["timeStamp,elapsed,label,responseCode,success,bytes"];
  for (let request = 0; request <= 3 * ENDPOINTS; request++) {
    const number = request < 3 * ENDPOINTS ? request % ENDPOINTS : ENDPOINTS - 1;
    const at = 1_790_000_000_000 + Math.floor((request / (3 * ENDPOINTS)) * (SECONDS - 1)) * 1000;
    rows.push(`${at},${number},${labelOf(number)},200,true,100`);
  }
  return `${rows.join("\n")}\n`;
}

function labelOf(number: number): string {
  return `GET /products/${100_000 + number}/reviews`;
}

test("the table lists the first of very many endpoints, and the filter finds the others", async () => {
  const { page, complaints } = await world.openWithKey("/t/many?rows=all");
  await page.getByText("First 200 of 20,000 by p95; filter to find others").waitFor();
  const rows = page.locator(".endpoints tbody tr.row");
  await expect.poll(() => rows.first().innerText()).toContain("/products/119999/reviews");
  await expect
    .poll(() => page.locator("table.endpoints").getAttribute("aria-rowcount"))
    .toBe("201");
  await page.getByText(/20,000 endpoints: are they URLs with ids\?/).waitFor();
  await page.locator(".tiles").getByText("60,001").waitFor();
  await page.getByRole("table").getByRole("button", { name: "requests" }).click();
  await page.getByText("First 200 of 20,000 by requests").waitFor();
  // Equal ones are sorted by label.
  await page.locator(".endpoints tr.row", { hasText: "/products/100000/reviews" }).waitFor();
  await expect.poll(() => rows.first().innerText()).toContain("/products/119999/reviews");
  await page.getByLabel("Filter endpoints").pressSequentially("/products/10777", { delay: 20 });
  await page.locator(".scope").getByText("10 of 20,000 endpoints").waitFor();
  await page.locator(".tiles").getByText("30", { exact: true }).waitFor();
  await page.locator(".endpoints tr.row", { hasText: "/products/107775/reviews" }).click();
  await page.getByText("1 endpoint selected").waitFor();
  await page.locator(".tiles").getByText("3", { exact: true }).first().waitFor();
  expect(complaints).toEqual([]);
}, 30_000);

test("of very many endpoints ten are listed, with a button for the first 200", async () => {
  const { page } = await world.openWithKey("/t/many");
  await page.getByRole("button", { name: "First 200 of 20,000 by p95" }).click();
  await page.getByText("filter to find others").waitFor();
  expect(new URL(page.url()).searchParams.get("rows")).toBe("all");
});

test("the saved table has the listed rows", async () => {
  const { page, complaints } = await world.openWithKey("/t/many?sort=label&rows=all");
  page.setDefaultTimeout(10_000);
  await page.getByText("First 200 of 20,000 by endpoint").waitFor();
  await page.waitForLoadState("networkidle");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByTitle(/The 200 endpoints listed/).click(),
  ]);
  const saved = await download.createReadStream();
  let text = "";
  for await (const piece of saved) text += String(piece);
  const labels = new Set(text.match(/products\/\d+/g));
  expect([labels.size, labels.has("products/100000"), labels.has("products/100199")]).toEqual([
    200,
    true,
    true,
  ]);
  expect(complaints).toEqual([]);
}, 30_000);
