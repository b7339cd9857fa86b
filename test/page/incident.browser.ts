/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";
import { STARTED_AT, writeGeneratedRun } from "./generated-run.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-incident-"));
  try {
    for (const [id, isCalm] of [
      ["calm", true],
      ["run", false],
    ] as const) {
      const file = path.join(folder, `${id}.jtl`);
      writeGeneratedRun(file, { isCalm, requestsPerSecond: 100 });
      await world.import([file, "--id", id, "--name", "checkout-nightly"]);
    }
    await world.command(["tests", "baseline", "calm"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);

afterAll(() => world?.close());

/** UNIX second of the first request. */
async function startOf(id: string): Promise<number> {
  const response = await fetch(`${world.url}/Api/LoadTests/${id}`, {
    headers: { "X-Service-Auth": world.key },
  });
  const { from } = (await response.json()) as { readonly from: number };
  return from;
}

async function answer(id: string, query: string) {
  const response = await fetch(`${world.url}/Api/LoadTests/${id}/Summary?limit=1&${query}`, {
    headers: { "X-Service-Auth": world.key },
  });
  const { overall } = (await response.json()) as {
    overall: { count: number; errRate: number; p50: number; p95: number };
  };
  return overall;
}

test("a click on an anomaly opens the incident, beside the time before and the baseline", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: /of [\d,]+ failures in \d+ s/ }).click();
  const incident = page.locator("section.incident");
  await incident.locator(".measures").waitFor();
  const { searchParams } = new URL(page.url());
  const [from = 0, until = 0] = (searchParams.get("incident") ?? "").split("-").map(Number);
  expect(until - from).toBeLessThan(50);
  const hashes = `hashes=${searchParams.get("endpoints")}`;
  // The same seconds since the start; the first requests are not in the same second.
  const offset = (await startOf("calm")) - (await startOf("run"));
  const [during, usual] = await Promise.all([
    answer("run", `${hashes}&from=${from}&until=${until}`),
    answer("calm", `${hashes}&from=${from + offset}&until=${until + offset}`),
  ]);
  const cells = (row: string) =>
    incident.locator("tr", { has: page.getByRole("rowheader", { name: row }) }).locator("td");
  await expect
    .poll(() => cells("during").nth(1).innerText())
    .toContain(`${Math.round(during.errRate * 100)} %`);
  await expect
    .poll(() => cells("baseline calm").nth(4).innerText())
    .toBe(`${Math.round(usual.p95 * 1000)} ms`);
  await expect
    .poll(() => incident.innerText())
    .toMatch(/× 503 Service Unavailable.* on POST \/cart/);
  await expect.poll(() => incident.innerText()).toContain("250 users");
  expect(from).toBeGreaterThan(STARTED_AT);
  expect(complaints).toEqual([]);
});

test("the URL opens the incident again, and closing it shows the whole run", async () => {
  const { page } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: /p95 rises/ }).click();
  const incident = page.locator("section.incident .measures");
  await incident.waitFor();
  const text = await incident.innerText();
  const { pathname, search } = new URL(page.url());
  const shared = await world.openWithKey(`${pathname}${search}`);
  await shared.page.locator("section.incident .measures").waitFor();
  await expect.poll(() => shared.page.locator("section.incident .measures").innerText()).toBe(text);
  await page.getByRole("button", { name: "Close the incident" }).click();
  await incident.waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
});

test("an incident has no figures of the one before it", async () => {
  const start = await startOf("run");
  const [first, second] = [start + 60, start + 200].map((from) => `${from}-${from + 40}`);
  const { page } = await world.openWithKey(`/t/run?incident=${first}`);
  const measures = page.locator("section.incident .measures");
  await measures.waitFor();
  await page.route(new RegExp(`Summary.*from=${start + 200}`), (route) =>
    route.fulfill({ status: 422, json: { title: "too much", status: 422, detail: "too much" } }),
  );
  const refused = page.waitForResponse((response) => response.status() === 422);
  await page.evaluate((incident) => {
    history.pushState(undefined, "", `?incident=${incident}`);
    dispatchEvent(new PopStateEvent("popstate"));
  }, second);
  await refused;
  await expect.poll(() => measures.count()).toBe(0);
});

test("an incident is saved as one picture of its figures and charts", async () => {
  const { page, complaints } = await world.openWithKey("/t/run");
  await page.getByRole("button", { name: /of [\d,]+ failures in \d+ s/ }).click();
  const incident = page.locator("section.incident");
  await incident.locator(".measures").waitFor();
  await page.getByRole("button", { name: "Show the full run" }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    incident.getByRole("button", { name: "PNG" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("run-incident.png");
  const png = readFileSync(await download.path());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  // Width and height: three charts of at least 200 px below ten lines.
  expect(png.readUInt32BE(16)).toBe(1200);
  expect(png.readUInt32BE(20)).toBeGreaterThan(3 * 200 + 10 * 20);
  expect(complaints).toEqual([]);
});

test.each([
  [6, 6, []],
  [8, 5, ["3 more"]],
])("of %d anomalies %d are shown at first, and all after a click", async (all, shown, more) => {
  const { page, complaints } = await world.openWithKey("/");
  await page.route(/\/Findings(\?|$)/, async (route) => {
    const response = await route.fetch();
    type Found = { kind: string; from: number; findings: readonly Found[] };
    const [incident] = (await response.json()) as readonly Found[];
    const burst = incident?.findings.find(({ kind }) => kind === "burst");
    const json = Array.from({ length: all }, (_, at) => {
      const from = (burst?.from ?? 0) + at;
      return { ...incident, from, findings: [{ ...burst, from }] };
    });
    await route.fulfill({ response, json });
  });
  await page.goto(`${world.url}/t/run`);
  const list = page.getByRole("list", { name: "Findings" });
  const findings = list.getByRole("button", { name: /of [\d,]+ failures/ });
  await expect.poll(() => findings.count()).toBe(shown);
  const button = list.getByRole("button", { name: /^\d+ more$/ });
  expect(await button.allInnerTexts()).toEqual(more);
  if (more.length > 0) await button.click();
  await expect.poll(() => findings.count()).toBe(all);
  expect(complaints).toEqual([]);
});

test("charts show the baseline at the same time since the start", async () => {
  const { page, complaints } = await world.openWithKey("/t/run?numbers=shown&resolution=60");
  const table = page.getByRole("region", { name: "Chart data" });
  const head = table.getByRole("columnheader");
  await head.filter({ hasText: "baseline requests" }).waitFor();
  const names = await head.allInnerTexts();
  const [times, requests] = ["baseline p50 to p95", "baseline requests"].map((name) =>
    names.indexOf(name),
  );
  const row = table.getByRole("row").nth(6).locator("th, td");
  const cells = await row.allInnerTexts();
  const from = STARTED_AT - (STARTED_AT % 60) + 5 * 60 - 86_400;
  const usual = await answer("calm", `from=${from}&until=${from + 60}`);
  const [p50, p95] = [usual.p50, usual.p95].map((seconds) => Math.round(seconds * 1000));
  expect(cells[times ?? -1]).toBe(`${p50} ms to ${p95} ms`);
  expect(Number.parseFloat(cells[requests ?? -1] ?? "")).toBeCloseTo(usual.count / 60, 0);
  expect(complaints).toEqual([]);
});

test.each([1440, 390])(
  "at %d px an opened incident leaves the charts and the sentences where they are",
  async (width) => {
    const { page, complaints } = await world.openWithKey("/t/run", { width });
    await page.getByRole("list", { name: "Most frequent failures" }).waitFor();
    await page.waitForLoadState("networkidle");
    const sentences = page.getByRole("list", { name: "Findings" });
    const plot = page.locator(".charts .plot").first();
    const before = await sentences.innerText();
    const y = (await plot.boundingBox())?.y ?? 0;
    await sentences.getByRole("button").first().click();
    await page.locator("section.incident .measures").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await sentences.innerText()).toBe(before);
    // A kind of failure less or more, or further lines of controls.
    const after = (await plot.boundingBox())?.y ?? 0;
    expect(after).toBeGreaterThan(0);
    // At least half of it is on a screen of 800 px.
    expect(after).toBeLessThan(width > 1280 ? y + 100 : 800 - 92);
    const panel = await page.locator("section.incident").boundingBox();
    // Beside the charts, or below them.
    expect((panel?.y ?? 0) < after).toBe(width > 1280);
    expect(complaints).toEqual([]);
  },
);

test("a click on a row far below the charts brings them back", async () => {
  const { page } = await world.openWithKey("/t/run?rows=all");
  const row = page.locator(".endpoints tbody tr.row").nth(12);
  await row.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 400);
  await row.click();
  const plot = page.locator(".charts .plot").first();
  await expect.poll(async () => (await plot.boundingBox())?.y ?? -1).toBeGreaterThan(0);
});
