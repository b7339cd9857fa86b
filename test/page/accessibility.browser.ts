/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOf, writeRun } from "./compared-runs.ts";
import { createWorld, type Tab, type World } from "./browser.ts";
import { STARTED_AT as SAMPLED_AT, writeSampled } from "./samples-run.ts";

const DEMO = path.join(import.meta.dirname, "../../examples/demo/shop.jtl.gz");
const K6 = path.join(import.meta.dirname, "../fixtures/k6-json/gen-k6-1.8.1-main.json.gz");
const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "tachograph-accessibility-"));
const report = path.join(folder, "report.html");
let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
  for (const [id, which] of [
    ["old", "base"],
    ["new", "later"],
  ] as const) {
    const file = path.join(folder, `${id}.jtl`);
    writeRun(file, runOf(which), 0);
    await world.import([file, "--id", id, "--name", "nightly"]);
  }
  await sendMeasured("measured");
  await world.import([K6, "--id", "k6"]);
  await importFacets("facets");
  const sampled = path.join(folder, "sampled.jtl");
  writeSampled(sampled);
  await world.import([sampled, "--id", "sampled"]);
  await world.command(["report", "shop", "-o", report]);
});

/** Requests of a facet with short values, and of one with a long value. */
async function importFacets(id: string): Promise<void> {
  const rows = Array.from({ length: 600 }, (_, index) => {
    const facets = `region-${index % 3},"${"browse, then buy ".repeat(9)}"`;
    return `${1_790_000_040 + (index % 60)},GET /cart,${100 + (index % 7)},${facets}\n`;
  });
  const file = path.join(folder, `${id}.csv`);
  const head = "timestamp,label,elapsedMs,facet.region,facet.scenario\n";
  writeFileSync(file, `${head}${rows.join("")}`);
  await world.import([file, "--id", id]);
}

/** Requests beside the CPU of two servers, and an event. */
async function sendMeasured(id: string): Promise<void> {
  const lines = Array.from({ length: 60 }, (_, index) => {
    const at = `${1_790_000_040 + index}000000000`;
    const request = `http_req_duration,name=GET\\ /,method=GET,status=200,expected_response=true value=20 ${at}\n`;
    const cpu = ["a", "b"].map((host) => `cpu,host=${host} usage_user=${index} ${at}\n`);
    return `${request}${cpu.join("")}`;
  });
  const headers = { "X-Service-Auth": world.key, "Content-Type": "application/json" };
  const send = async (address: string, body: string): Promise<void> => {
    const { ok } = await fetch(`${world.url}${address}`, { method: "POST", headers, body });
    if (!ok) throw new Error(`not taken: ${address}`);
  };
  await send(`/write?db=${id}&precision=ns`, lines.join(""));
  const event = { at: new Date(1_790_000_060_000).toISOString(), text: "deployed 1.4" };
  await send(`/Api/LoadTests/${id}/Events`, JSON.stringify(event));
}

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

interface View {
  readonly name: string;
  readonly address: string;
  /** Text that appears once the view is complete. */
  readonly awaits: string;
}

const VIEWS: readonly View[] = [
  { name: "the tests", address: "/", awaits: "too few runs" },
  { name: "the list", address: "/runs", awaits: "Shop" },
  {
    name: "several runs",
    // SHA-1 of GET /cart.
    address: "/compare?runs=old,new,shop&endpoint=890a7f8e02ad127c4f5669d211ea3ec8d8d8ce03",
    awaits: "p95 of GET /cart",
  },
  { name: "a load test", address: "/t/shop", awaits: "Service Unavailable" },
  {
    name: "an incident",
    address: "/t/shop?incident=1795256491-1795256550",
    awaits: "No other run of this name",
  },
  { name: "passed requests", address: "/t/shop?outcome=passed", awaits: "Service Unavailable" },
  { name: "the heatmap", address: "/t/shop?view=heatmap", awaits: "requests in a cell" },
  { name: "the capacity", address: "/t/shop?view=capacity", awaits: "against active users" },
  {
    name: "measures and events",
    address: "/t/measured?measures=cpu.usage_user",
    awaits: "cpu.usage_user",
  },
  {
    name: "facets",
    address: "/t/facets?by=region&where=region:region-0,region:region-1",
    awaits: "region-1 › GET /cart",
  },
  {
    name: "compared facets",
    address: "/compare/facets/facets?by=region",
    awaits: "region-1 › GET /cart",
  },
  {
    name: "facets in a history",
    address: "/trend/facets.csv?by=region",
    awaits: "region-1 › GET /cart",
  },
  { name: "codes", address: "/t/k6", awaits: "other than 200" },
  {
    name: "a box in the heatmap",
    address: "/t/shop?view=heatmap&box=1795256491-1795256550,0.1-",
    awaits: "of the box",
  },
  {
    name: "failures, strips and numbers",
    // SHA-1 of GET /products and of GET /.
    address:
      "/t/shop?view=heatmap&numbers=shown&failure=503+Service+Unavailable&endpoints=794086abb0a325d517402a02a7f2bcedfcd8bba0,d20f64acc6e70b6079845f2fe357732929550ae1",
    awaits: "each strip has its own colour scale",
  },
  {
    name: "requests of a failure and at a point",
    address: `/t/sampled?failure=500+Broken&at=${SAMPLED_AT}-${SAMPLED_AT + 70}`,
    awaits: "Slowest here",
  },
  { name: "the list with ticks", address: "/runs?ticked=old,new", awaits: "with base" },
  {
    name: "a comparison",
    // SHA-1 of GET /cart, one of the endpoints that became slower.
    address: "/compare/old/new?endpoint=890a7f8e02ad127c4f5669d211ea3ec8d8d8ce03",
    awaits: "p95  58 to 116 ms",
  },
  { name: "a run compared with itself", address: "/compare/shop/shop", awaits: "inconclusive" },
  { name: "a history", address: "/trend/nightly?numbers=shown", awaits: "Too few runs" },
  { name: "a load test that is not there", address: "/t/nowhere", awaits: "nowhere" },
  { name: "a filter that matches nothing", address: "/t/shop?filter=/CART", awaits: "Use /cart" },
];
const [WIDE, NARROW] = [1280, 390];
const LOOKS = [
  { look: "light", dark: false, width: WIDE },
  { look: "dark", dark: true, width: WIDE },
  { look: "narrow", dark: false, width: NARROW },
];

test.each(VIEWS)(
  "axe finds nothing serious at $name, light, dark and narrow, and it fits the window",
  async ({ address, awaits }) => {
    const tab = await world.openWithKey(address);
    const check = async (width: number): Promise<void> => {
      await tab.page.getByText(awaits).first().waitFor();
      await tab.page.waitForLoadState("networkidle");
      for (const fold of await tab.page.locator(".samples summary").all()) await fold.click();
      // The bar with the scope covers what is below it.
      await tab.page.evaluate(() => scrollTo(0, 0));
      expect(await seriousFindings(tab)).toEqual([]);
      const contentWidth = await tab.page.evaluate(() => document.documentElement.scrollWidth);
      expect(contentWidth).toBeLessThanOrEqual(width);
    };
    await check(WIDE);
    await tab.page.emulateMedia({ colorScheme: "dark" });
    // Only colours differ.
    expect(await seriousFindings(tab, ["color-contrast"]), "dark").toEqual([]);
    await tab.page.emulateMedia({ colorScheme: "light" });
    await tab.page.setViewportSize({ width: NARROW, height: 800 });
    await tab.page.reload();
    await check(NARROW);
  },
);

test("axe finds nothing serious at the login", async () => {
  const tab = await world.open();
  await tab.page.goto(`${world.url}/`);
  await tab.page.locator("#key").waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
});

test.each(LOOKS)("axe finds nothing serious in a report, $look", async (look) => {
  const tab = await world.open(look);
  await tab.page.goto(pathToFileURL(report).href);
  await tab.page.getByText("Service Unavailable").first().waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
});

test.each(LOOKS)("axe finds nothing serious when creating keys, $look", async (look) => {
  const words = ["keys", "create", "--name", `admin ${look.look}`, "--scope", "admin"];
  const tab = await world.openWithKey("/keys", { ...look, key: await world.command(words) });
  await tab.page.getByRole("button", { name: "Create key…" }).click();
  await tab.page.getByRole("button", { name: "Revoke page" }).click();
  await tab.page.getByRole("button", { name: "Revoke page for good" }).waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
});

test("axe finds nothing serious when choosing a base", async () => {
  const tab = await world.openWithKey("/t/new");
  await tab.page.getByRole("button", { name: "Compare…" }).click();
  await tab.page.getByRole("dialog").getByRole("link").first().waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
});

test("axe finds nothing serious in the help for keyboard shortcuts", async () => {
  const tab = await world.openWithKey("/t/shop");
  await tab.page.locator(".endpoints tbody tr").first().waitFor();
  await tab.page.keyboard.press("?");
  await tab.page.getByText("full range").waitFor();
  expect(await seriousFindings(tab)).toEqual([]);
});

test.each([
  ["/t/shop", ".endpoints tbody tr"],
  ["/", ".tests tbody tr"],
  ["/runs", ".load-tests tbody tr"],
  ["/compare?runs=old,new,shop", ".runs-matrix tbody tr"],
  ["/compare/old/new", ".comparison tbody tr"],
])("at %s the down key leads from the filter to the first row", async (address, rows) => {
  const { page } = await world.openWithKey(address);
  await page.locator(rows).first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.press("ArrowDown");
  const first = page.locator(rows).first();
  expect(await first.evaluate((row) => row.contains(document.activeElement))).toBe(true);
});

test("the first Tab offers to skip to the content", async () => {
  const { page } = await world.openWithKey("/t/shop");
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Skip to content" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("main:focus").count()).toBe(1);
});

/** Serious and critical axe findings with their elements. `runOnly`: rules. @default all */
async function seriousFindings(
  { page }: Tab,
  runOnly?: readonly string[],
): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  // A rule of WCAG 2.2 AA that axe leaves out by default.
  const all = { rules: { "target-size": { enabled: true } } };
  // Of what passes, axe need not describe each element.
  const options = JSON.stringify({
    ...(runOnly === undefined ? all : { runOnly }),
    resultTypes: ["violations"],
  });
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`);
}
