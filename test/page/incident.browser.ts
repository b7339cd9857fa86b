/// <reference lib="dom" />
import { mkdtempSync, rmSync } from "node:fs";
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

async function answer(id: string, query: string) {
  const response = await fetch(`${world.url}/Api/LoadTests/${id}/Summary?limit=1&${query}`, {
    headers: { "X-Service-Auth": world.key },
  });
  const { overall } = (await response.json()) as {
    overall: { count: number; errRate: number; p95: number };
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
  const offset = -86_400;
  const [during, usual] = await Promise.all([
    answer("run", `${hashes}&from=${from}&until=${until}`),
    answer("calm", `${hashes}&from=${from + offset}&until=${until + offset}`),
  ]);
  const cells = (row: string) =>
    incident.locator("tr", { has: page.getByRole("rowheader", { name: row }) }).locator("td");
  expect(await cells("during").nth(1).innerText()).toContain(
    `${Math.round(during.errRate * 100)} %`,
  );
  expect(await cells("baseline calm").nth(4).innerText()).toBe(
    `${Math.round(usual.p95 * 1000)} ms`,
  );
  expect(await incident.innerText()).toMatch(/× 503 Service Unavailable.* on POST \/cart/);
  expect(await incident.innerText()).toContain("250 users");
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
  expect(await shared.page.locator("section.incident .measures").innerText()).toBe(text);
  await page.getByRole("button", { name: "Close the incident" }).click();
  await incident.waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("");
});
