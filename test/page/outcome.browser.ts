/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

const STARTED_AT = 1_790_000_000;
let world: World;

/**
 * In each of a hundred seconds a hundred requests that pass, in 1 to 50 ms, twice each; in ten of those seconds
 * 5,000 quick 503s, too.
 */
function writeBurst(file: string): void {
  const rows = ["timeStamp,elapsed,label,responseCode,responseMessage,success,bytes"];
  for (let second = 0; second < 100; second++) {
    const at = (STARTED_AT + second) * 1000;
    for (let each = 0; each < 100; each++) {
      rows.push(`${at},${1 + (each % 50)},GET /,200,OK,true,100`);
    }
    const failed = second >= 40 && second < 50 ? 5000 : 0;
    for (let each = 0; each < failed; each++) {
      rows.push(`${at},1,GET /,503,Busy,false,100`);
    }
  }
  writeFileSync(file, `${rows.join("\n")}\n`);
}

beforeAll(async () => {
  world = await createWorld();
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-outcome-"));
  try {
    const file = path.join(folder, "burst.jtl");
    writeBurst(file);
    await world.import([file, "--id", "burst"]);
    const refused = path.join(folder, "refused.jtl");
    const rows = Array.from(
      { length: 60 },
      (_, second) => `${STARTED_AT + second}000,1,GET /,false`,
    );
    writeFileSync(refused, `timeStamp,elapsed,label,success\n${rows.join("\n")}\n`);
    await world.import([refused, "--id", "refused"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

afterAll(() => world?.close());

test("a burst of quick failures lowers p95 of all requests, and not of those that passed", async () => {
  const { page, complaints } = await world.openWithKey("/t/burst");
  const tile = (name: string) => page.locator(`dl.tiles > .${name} dd`);
  const row = page.locator(".endpoints tbody tr").first();
  // The 57,000th of 60,000: after 50,000 failed ones of 1 ms the 7,000th that passed, 200 of each ms.
  await expect.poll(() => tile("p95").innerText()).toBe("35 ms");
  const note = page.getByText("includes 83 % failed requests");
  await note.getByRole("button", { name: "passed only" }).click();
  // The 9,500th of 10,000, 200 of each ms.
  await expect.poll(() => tile("p95").innerText()).toBe("48 ms");
  await expect.poll(() => tile("requests").innerText()).toBe("10,000");
  expect(new URL(page.url()).searchParams.get("outcome")).toBe("passed");
  await expect.poll(() => row.locator(".p95").innerText()).toContain("48");
  await expect.poll(() => note.count()).toBe(0);
  // What failed stays listed.
  await page.getByText("503 Busy").first().waitFor();

  const requests = page.getByRole("group", { name: "Requests" });
  await requests.getByRole("button", { name: "Failed" }).click();
  await expect.poll(() => tile("requests").innerText()).toBe("50,000");
  await expect.poll(() => tile("max").innerText()).toBe("1.0 ms");
  await page.goBack();
  await expect.poll(() => tile("p95").innerText()).toBe("48 ms");
  await page.reload();
  await expect.poll(() => tile("p95").innerText()).toBe("48 ms");
  await requests.getByRole("button", { name: "All" }).click();
  await expect.poll(() => tile("p95").innerText()).toBe("35 ms");
  expect(new URL(page.url()).searchParams.has("outcome")).toBe(false);
  expect(complaints).toEqual([]);
});

test("the heatmap shows only the cells of the chosen requests", async () => {
  const { page } = await world.openWithKey("/t/burst?view=heatmap&outcome=passed");
  // A second has 100 passed requests and 5,000 failed ones, all of these in one cell.
  const key = page.locator(".ramp-key");
  await expect.poll(() => key.innerText()).toMatch(/^1 +\d{1,3} requests? in a cell$/);
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await expect.poll(() => key.innerText()).toMatch(/^1 +\d{1,2},\d{3} requests in a cell$/);
});

test("where all failed without a reason and no size is recorded, nothing empty is offered", async () => {
  const { page } = await world.openWithKey("/t/refused");
  await page.getByText("more notes on the data").click();
  await page.getByText("Response sizes are not recorded.").waitFor();
  await expect.poll(() => page.locator("#failures").innerText()).toBe("Failures 60 requests");
  await expect
    .poll(() => page.locator(".charts h2").allInnerTexts())
    .toEqual(["Requests/s", "Errors, %"]);
  // The lowest chart has the times.
  await page.locator(".charts .time-tag").waitFor({ state: "attached" });
  await expect.poll(() => page.getByRole("button", { name: "passed only" }).count()).toBe(0);
});
