import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  for (const id of ["a", "b", "c"]) await world.import([DEMO, "--id", id, "--name", "Shop"]);
  await world.import([DEMO, "--id", "other", "--name", "Other"]);
});

afterAll(() => world?.close());

async function answerOf(path: string) {
  const response = await fetch(`${world.url}/Api/LoadTests${path}`, {
    headers: { "X-Service-Auth": world.key },
  });
  return { status: response.status, value: (await response.json()) as Record<string, unknown> };
}

const bar = (page: Page) => page.getByRole("region", { name: "Selected runs" });

test("on a phone the bar hides no row at the end of the list", async () => {
  const { page } = await world.openWithKey("/runs?ticked=a,b,c", { width: 390 });
  await page.setViewportSize({ width: 390, height: 400 });
  await bar(page).getByRole("link", { name: "Compare" }).waitFor();
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  const row = await page.locator("tbody tr").last().boundingBox();
  const top = (await bar(page).boundingBox())?.y ?? 0;
  expect((row?.y ?? 0) + (row?.height ?? Infinity)).toBeLessThanOrEqual(top);
});

test("all runs that match are tagged and pinned after a preview", async () => {
  const { page, complaints } = await world.openWithKey("/runs?search=name:shop");
  await page.getByLabel("Select all that match").check();
  await bar(page).getByText("All 3 runs that match").waitFor();
  await page.getByRole("button", { name: "Change the selected runs" }).click();
  const plan = page.getByRole("list", { name: "Preview" });
  await page
    .getByRole("button", { name: "Change 0 runs" })
    .and(page.locator(":disabled"))
    .waitFor();
  await page.getByLabel("Add tags").fill("archive");
  await page.getByLabel("Pin", { exact: true }).check();
  await expect
    .poll(() => plan.getByRole("listitem").allInnerTexts())
    .toEqual(["a", "b", "c"].map((id) => `+archive, pin Shop ${id}`));
  await page.getByRole("button", { name: "Change 3 runs" }).click();
  await page.getByRole("row", { name: "archive" }).nth(2).waitFor();
  expect((await answerOf("/b")).value).toMatchObject({ tags: ["archive"], pinned: true });
  expect((await answerOf("/other")).value).toMatchObject({ tags: [], pinned: false });
  // Nothing is left to change.
  await page.getByRole("button", { name: "Change 0 runs" }).waitFor();
  await page.getByLabel("Unpin").check();
  await page.getByRole("button", { name: "Change 3 runs" }).click();
  await expect.poll(async () => (await answerOf("/a")).value["pinned"]).toBe(false);
  expect(complaints).toEqual([]);
});

test("a deletion can be undone for a minute, spares pinned runs, and is asked about when the tab closes", async () => {
  await world.command(["tests", "change", "a", "--pin", "--yes"]);
  const { page, complaints } = await world.openWithKey("/runs?ticked=a,b");
  await page.getByRole("button", { name: "Change the selected runs" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  const plan = page.getByRole("list", { name: "Preview" });
  await expect.poll(() => plan.innerText()).toBe("delete Shop b");
  await page.getByText("Kept because pinned: 1 run").waitFor();
  await page.getByRole("button", { name: "Delete 1 run" }).click();
  const deletion = page.getByRole("region", { name: "Deletion" });
  await deletion.getByText("closing this tab cancels it").waitFor();
  expect(new URL(page.url()).search).toBe("");
  // It waits in every view.
  await page.getByRole("link", { name: "Other", exact: true }).click();
  await page.getByRole("heading", { name: "Other" }).waitFor();
  const asked = await page.evaluate(() => {
    const event = new Event("beforeunload", { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  });
  expect(asked).toBe(true);
  await deletion.getByRole("button", { name: "Undo" }).click();
  await deletion.waitFor({ state: "detached" });
  expect((await answerOf("/b")).status).toBe(200);
  expect(complaints).toEqual([]);
});

test("runs are deleted after the minute, and the list goes on without them", async () => {
  const { page, complaints } = await world.openWithKey("/runs?ticked=b,c");
  await page.clock.install();
  await page.getByRole("button", { name: "Change the selected runs" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete 2 runs" }).click();
  // This clock also runs by itself: a step takes longer on a busy machine.
  await page.getByText(/\d s left/).waitFor();
  await page.clock.runFor(30_000);
  expect((await answerOf("/c")).status).toBe(200);
  await page.clock.runFor(31_000);
  await expect.poll(async () => (await answerOf("/c")).status).toBe(404);
  await expect.poll(async () => (await answerOf("/b")).status).toBe(404);
  await page.getByRole("region", { name: "Deletion" }).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Runs 2" }).waitFor();
  expect(complaints).toEqual([]);
});

test("the selected runs are saved as CSV", async () => {
  const { page } = await world.openWithKey("/runs?ticked=other,a");
  const saving = page.waitForEvent("download");
  await bar(page).getByRole("button", { name: "CSV" }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe("runs.csv");
  const text = (await Array.fromAsync(await file.createReadStream())).join("");
  const [head = "", ...rows] = text.trim().split("\r\n");
  expect(head).toMatch(/^id,name,.*,p95,p99$/);
  expect(rows.map((row) => row.split(",")[0])).toEqual(["other", "a"]);
});
