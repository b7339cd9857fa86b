/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Tab, type World } from "./browser.ts";

/** Start of a minute. */
const STARTED_AT = 1_790_000_040;
const SECONDS = 600;
/** In these seconds requests to `eu` take 900 ms and every tenth fails; all others take 100 ms. */
const SLOW = { from: 300, until: 360 };
const REGIONS = ["ap", "eu", "us"];
const HOSTS = Array.from({ length: 10 }, (_, index) => `host-${index}`);

let world: World;
const folder = mkdtempSync(path.join(tmpdir(), "tachograph-facets-"));

/** In each second ten requests to each region, one by each host. */
function rowsOf(startedAt: number, isSlow: boolean, facets: readonly string[]): string {
  const rows = Array.from({ length: SECONDS }, (_, second) =>
    REGIONS.flatMap((region) =>
      HOSTS.map((host, index) => {
        const slow =
          isSlow && region === "eu" && second >= SLOW.from && second < SLOW.until ? 9 : 1;
        const success = slow === 1 || index > 0;
        const label = index % 2 === 0 ? "GET /cart" : "POST /pay";
        const told = { region, host };
        const own = facets.map((name) => `,${told[name as "region" | "host"]}`).join("");
        return `${startedAt + second}.${index},${label},${100 * slow},${success}${own}\n`;
      }),
    ),
  );
  const names = facets.map((name) => `,facet.${name}`).join("");
  return `timestamp,label,elapsedMs,success${names}\n${rows.flat().join("")}`;
}

async function importRows(id: string, name: string, rows: string): Promise<void> {
  const file = path.join(folder, `${id}.csv`);
  writeFileSync(file, rows);
  await world.import([file, "--id", id, "--name", name]);
}

beforeAll(async () => {
  world = await createWorld();
  const before = STARTED_AT - 86_400;
  await importRows("run", "nightly", rowsOf(STARTED_AT, true, ["region", "host"]));
  await importRows("base", "nightly", rowsOf(before, false, ["region", "host"]));
  await importRows("faceted", "twice", rowsOf(STARTED_AT, true, ["region"]));
  await importRows("plain", "twice", rowsOf(STARTED_AT, true, []));
}, 120_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

const tile = (page: Page, name: string) => page.locator(`.tiles .${name} dd`);
const endpoints = (page: Page) => page.locator(".endpoints tbody th .full");
const searchOf = (page: Page) => new URL(page.url()).searchParams;

test("a run without facets is shown as if there were none", async () => {
  const shown = async (id: string): Promise<readonly string[]> => {
    const { page } = await world.openWithKey(`/t/${id}`);
    await page.locator(".endpoints .spark").first().waitFor();
    await page.waitForLoadState("networkidle");
    const html = await page.locator("main").evaluate((main) => {
      for (const chip of main.querySelectorAll(".facet")) chip.remove();
      return main.outerHTML;
    });
    // An incident names the region that it lies in, and popups are numbered.
    return html
      .replaceAll(id, "")
      .replaceAll("; only region eu", "")
      .replaceAll(/P0-\d+/g, "")
      .split("<");
  };
  const { page } = await world.openWithKey("/t/plain");
  await page.locator(".endpoints .spark").first().waitFor();
  expect(await page.locator(".facet").count()).toBe(0);
  expect(await shown("faceted")).toEqual(await shown("plain"));
});

test("a facet with one value has no chip until the address names it", async () => {
  const rows = rowsOf(STARTED_AT, false, ["region"]).replaceAll(/,(ap|eu|us)\n/g, ",eu\n");
  await importRows("single", "single", rows);
  const { page } = await world.openWithKey("/t/single");
  await page.locator(".endpoints .spark").first().waitFor();
  expect(await page.locator(".facet").count()).toBe(0);
  await page.goto(page.url().replace(/#?$/, "?by=region"));
  await page.getByRole("button", { name: "region 1 value: filter" }).waitFor();
});

test("which region was slow takes one click, and the address opens it again", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: "Split by region" }).click();
  const chart = page.getByRole("slider", { name: "Response time over time: ap, eu, us" });
  await chart.waitFor();
  await expect.poll(() => endpoints(page).first().innerText()).toMatch(/^eu › /);
  expect(await endpoints(page).count()).toBe(6);
  expect(searchOf(page).get("by")).toBe("region");
  // The middle of ten minutes is the first slow second.
  await chart.focus();
  await page.keyboard.press("Home");
  const read = () => chart.getAttribute("aria-valuetext");
  await expect.poll(read).toMatch(/ap 100 ms.*eu 100 ms.*us 100 ms/);
  for (let at = 0; at < 300; at += 1) {
    if (/14:19:3\d/.test((await read()) ?? "")) break;
    await page.keyboard.press("ArrowRight");
  }
  expect(await read()).toMatch(/ap 100 ms.*eu 900 ms.*us 100 ms/);
  await page.goBack();
  await page.getByRole("slider", { name: "Response time over time: p99, p95" }).waitFor();
  expect(await endpoints(page).count()).toBe(2);
  await page.goForward();
  await chart.waitFor();
  await page.reload();
  await chart.waitFor();
  await page.getByRole("button", { name: "Split by region", pressed: true }).waitFor();
  expect(complaints).toEqual([]);
});

test("values of a facet filter the whole view", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: "region 3 values: filter" }).click();
  await page.getByRole("checkbox", { name: "eu 6,000" }).check();
  // Ten requests a second; one of ten in a minute fails.
  await expect.poll(() => tile(page, "requests").innerText()).toBe("6,000");
  await expect.poll(() => tile(page, "failed").innerText()).toMatch(/^60/);
  await page.getByRole("checkbox", { name: "us 6,000" }).check();
  await expect.poll(() => tile(page, "requests").innerText()).toBe("12,000");
  expect(searchOf(page).get("where")).toBe("region:eu,region:us");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "region eu or us: filter" }).waitFor();
  await page.goto(`${world.url}/t/run?where=region:ap`);
  await expect.poll(() => tile(page, "requests").innerText()).toBe("6,000");
  await expect.poll(() => tile(page, "failed").innerText()).toMatch(/^0/);
  expect(await page.getByRole("heading", { name: /^Failures/ }).count()).toBe(0);
  await page.getByRole("button", { name: "All of region" }).click();
  await expect.poll(() => tile(page, "requests").innerText()).toBe("18,000");
  expect(complaints).toEqual([]);
});

test("eight values have lines, the others one", async () => {
  const { page, complaints } = await world.openWithKey("/t/run?by=host");
  const names = [...HOSTS.slice(0, 8), "2 others"].join(", ");
  await page.getByRole("slider", { name: `Response time over time: ${names}` }).waitFor();
  expect(complaints).toEqual([]);
});

test("a comparison is filtered and split, each value with its base", async () => {
  const { page, complaints } = await world.openWithKey("/compare/base/run");
  await page.getByRole("button", { name: "Split by region" }).click();
  const names = REGIONS.flatMap((region) => [`${region}, base`, region]).join(", ");
  const chart = page.getByRole("slider", {
    name: `p95 response time of both runs over time: ${names}`,
  });
  await chart.waitFor();
  const rows = page.locator(".comparison tbody tr");
  await expect.poll(() => rows.count()).toBe(6);
  await rows.filter({ hasText: "eu › GET /cart" }).filter({ hasText: "slower" }).waitFor();
  await page.goto(`${world.url}/compare/base/run?where=region:us`);
  const requests = page.locator(".tiles.compared dd").first();
  await expect.poll(() => requests.innerText()).toBe("6,000");
  expect(await rows.filter({ hasText: "slower" }).count()).toBe(0);
  // The run that a name opens has the same facets.
  await page.getByRole("link", { name: "nightly run" }).click();
  await expect.poll(() => tile(page, "requests").innerText()).toBe("6,000");
  expect(complaints).toEqual([]);
});

test("a history has a line for each value, and its links keep the facets", async () => {
  const { page, complaints } = await world.openWithKey("/trend/nightly");
  await page.getByRole("button", { name: "Split by region" }).click();
  await page.getByRole("slider", { name: "Response time over time: ap, eu, us" }).waitFor();
  await page.getByText("p95 by region").waitFor();
  await expect.poll(() => page.locator(".trend-endpoints tbody tr").count()).toBe(6);
  await page.getByRole("link", { name: "Open" }).click();
  await page.getByRole("slider", { name: "Response time over time: ap, eu, us" }).waitFor();
  expect(complaints).toEqual([]);
});

test("a facet that no request has is said, and its chip takes it off", async () => {
  const { page } = await world.openWithKey("/t/run?where=region:mars");
  await page.getByText('no request has region "mars"; known: ap, eu, us').waitFor();
  await page.getByRole("button", { name: "All of region" }).click();
  await expect.poll(() => tile(page, "requests").innerText()).toBe("18,000");
  await page.goto(`${world.url}/trend/nightly?where=region:mars`);
  await page.getByText("none of 2 runs has requests with region:mars").waitFor();
});

/** A report of the run, without a network. */
async function openReport(...words: readonly string[]): Promise<Tab> {
  const file = path.join(folder, "report.html");
  await world.command(["report", "run", ...words, "-o", file]);
  const tab = await world.open();
  await tab.page.context().setOffline(true);
  await tab.page.goto(pathToFileURL(file).href);
  return tab;
}

test("a report by a facet can be split and filtered by it; one of a value has only that", async () => {
  const { page, complaints } = await openReport("--by", "region");
  await page.getByRole("slider", { name: "Response time over time: ap, eu, us" }).waitFor();
  await expect.poll(() => endpoints(page).count()).toBe(6);
  await page.getByRole("button", { name: "Split by region" }).click();
  await expect.poll(() => endpoints(page).count()).toBe(2);
  await page.getByRole("button", { name: "region 3 values: filter" }).click();
  await page.getByRole("checkbox", { name: "eu 6,000" }).check();
  await expect.poll(() => tile(page, "requests").innerText()).toBe("6,000");
  await expect.poll(() => tile(page, "failed").innerText()).toMatch(/^60/);
  const part = await openReport("--where", "region:us");
  await part.page.getByText("Only requests with region us.").waitFor();
  await expect.poll(() => tile(part.page, "requests").innerText()).toBe("6,000");
  await expect.poll(() => tile(part.page, "failed").innerText()).toMatch(/^0/);
  expect(await part.page.locator(".facet").count()).toBe(0);
  expect([...complaints, ...part.complaints]).toEqual([]);
});
