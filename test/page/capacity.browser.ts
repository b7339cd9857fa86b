/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

const STARTED_AT = 1_790_000_000;
const SECONDS = 300;
let world: World;
let folder: string;

/** Gunther's law with 4 requests per second of one user. */
function rateAt(users: number): number {
  return (4 * users) / (1 + 0.02 * (users - 1) + 0.0002 * users * (users - 1));
}

/** A ramp of a user every two seconds, whose throughput and response times follow the law or are those of one user. */
function writeRamp(file: string, isLimited: boolean): void {
  const rows = Array.from({ length: SECONDS }, (_, second) => {
    const users = 1 + Math.floor(second / 2);
    const rate = isLimited ? rateAt(users) : 4 * users;
    const ms = Math.round((1000 * users) / rate);
    return `${STARTED_AT + second}000,${ms},GET /,true,${users}\n`.repeat(Math.round(rate));
  });
  writeFileSync(file, `timeStamp,elapsed,label,success,allThreads\n${rows.join("")}`);
}

beforeAll(async () => {
  world = await createWorld();
  folder = mkdtempSync(path.join(tmpdir(), "tachograph-capacity-"));
  for (const id of ["ramp", "even"]) {
    const file = path.join(folder, `${id}.jtl`);
    writeRamp(file, id === "ramp");
    await world.import([file, "--id", id]);
  }
}, 60_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

test("a ramp beyond the capacity shows its largest throughput in words and on the fitted curve", async () => {
  const { page, complaints } = await world.openWithKey("/t/ramp");
  await page.getByRole("button", { name: "Capacity" }).click();
  const section = page.getByRole("region", { name: "Capacity" });
  const items = section.getByRole("listitem");
  await items.nth(1).waitFor();
  const [peak = "", doubled = ""] = await items.allInnerTexts();
  const most = rateAt(Math.sqrt((1 - 0.02) / 0.0002));
  const sentence = /^At most ([\d.]+)\/s \(.+ to .+\); 95 % of it from ([\d.]+) users on \(.+\)$/;
  const [, rate, at] = sentence.exec(peak) ?? [];
  expect(Number(rate) / most).toBeCloseTo(1, 1);
  expect(rateAt(Number(at)) / (0.95 * most)).toBeCloseTo(1, 1);
  expect(doubled).toMatch(/^p95 doubled at [\d.]+ users, from \d+ ms to \d+ ms$/);
  const charts = section.getByRole("img");
  await expect.poll(() => charts.count()).toBe(2);
  await expect.poll(() => charts.first().getAttribute("aria-label")).toContain(peak);
  await expect.poll(() => charts.first().locator("path.curve").count()).toBe(1);
  await expect.poll(() => charts.first().locator("circle").count()).toBe(40);
  expect(new URL(page.url()).searchParams.get("view")).toBe("capacity");
  expect(complaints).toEqual([]);
});

test("where no limit was reached, none is claimed", async () => {
  const { page, complaints } = await world.openWithKey("/t/even?view=capacity");
  const section = page.getByRole("region", { name: "Capacity" });
  // The highest level has the last three whole windows of 3 s, with 145.67, 147.33 and 148.67 users.
  await expect
    .poll(() => section.getByRole("listitem").allInnerTexts())
    .toEqual(["No limit seen up to 589/s and 147 users"]);
  await expect.poll(() => section.locator("path.curve").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("a report shows the capacity, too", async () => {
  const file = path.join(folder, "report.html");
  await world.command(["report", "ramp", "-o", file]);
  const { page, complaints } = await world.open();
  await page.goto(pathToFileURL(file).href);
  await page.getByRole("button", { name: "Capacity" }).click();
  await page.getByText(/^At most 8\d/).waitFor();
  expect(complaints).toEqual([]);
});
