import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";
import { FAILING_FROM, SLOWER_FROM, storeHistory } from "./nightly-runs.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([DEMO, "--id", "shop", "--name", "Shop"]);
});

afterAll(() => world?.close());

test("thresholds are set, checked and edited on the page, and visible with a read key", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop");
  await page.getByRole("button", { name: "Thresholds…" }).click();
  const panel = page.getByRole("region", { name: "Thresholds" });
  await panel.getByLabel("Fail if").fill("p95 > 5");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByText("! Threshold 1: expected us or ms or s after 5").waitFor();
  await panel.getByLabel("Fail if").fill("max > 1ms");
  await panel.getByRole("button", { name: "Add threshold" }).click();
  await page.keyboard.type("errors > 99%");
  await panel.getByLabel("Owner").last().fill("shop team");
  await panel.getByRole("button", { name: "Save" }).click();
  const verdict = page.locator(".verdict");
  // In the head, also on a phone, where the button is in a menu.
  await expect
    .poll(() => verdict.innerText())
    .toMatch(/^✗ Failed: max [\d.]+ m?s \(limit 1 ms\) · 1 failed$/);
  await page.getByRole("button", { name: "Thresholds…" }).click();
  const rows = panel.getByRole("row");
  await expect.poll(() => rows.count()).toBe(3);
  // 9,225 requests of the demo, the slowest of which takes longer than 1 ms; most succeed.
  await expect.poll(() => rows.nth(1).innerText()).toMatch(/^failed\s+max > 1ms\s+[\d.]+ m?s$/);
  await expect
    .poll(() => rows.nth(2).innerText())
    .toMatch(/^passed\s+errors > 99%\s*shop team\s+[\d.]+ %$/);
  const reader = await world.openWithKey("/t/shop", {
    key: await world.command(["keys", "create", "--name", "reader"]),
  });
  await reader.page.getByText("✗ Failed").waitFor();
  await reader.page.getByRole("button", { name: "Thresholds…" }).click();
  await reader.page.getByText("errors > 99%").waitFor();
  await expect.poll(() => reader.page.getByRole("button", { name: "Edit…" }).count()).toBe(0);
  await panel.getByRole("button", { name: "Edit…" }).click();
  await panel.getByRole("button", { name: "Remove threshold 1" }).click();
  await panel.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => verdict.innerText()).toBe("✓ Passed: 1 threshold");
  await page.getByRole("button", { name: "Thresholds…" }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await panel.getByRole("button", { name: "Edit…" }).click();
  await panel.getByLabel("Fail if").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => panel.count()).toBe(0);
  // The rejected request.
  expect(complaints).toEqual([expect.stringContaining("status of 400")]);
});

test("a verdict that is refused replaces the one before", async () => {
  const { page } = await world.openWithKey("/t/shop");
  const verdict = page.locator(".verdict");
  await expect.poll(() => verdict.innerText()).toBe("✓ Passed: 1 threshold");
  const problem = { title: "", status: 422, code: "sum-too-large", detail: "sums are too large" };
  await page.route("**/Verdict", (route) =>
    route.fulfill({ status: 422, contentType: "application/problem+json", json: problem }),
  );
  await page.getByRole("button", { name: "Thresholds…" }).click();
  const panel = page.getByRole("region", { name: "Thresholds" });
  await panel.getByRole("button", { name: "Edit…" }).click();
  await panel.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => verdict.innerText()).toBe("– No verdict: sums are too large");
});

test("runs that failed their thresholds when they were finished are marked", async () => {
  await storeHistory(world);
  const [failing, slower] = [`night-${FAILING_FROM}`, `night-${SLOWER_FROM}`];
  await world.command(["tests", "tag", failing, "thresholds-failed"]);
  await world.command(["tests", "tag", slower, "thresholds-passed"]);
  const { page, complaints } = await world.openWithKey(`/trend/checkout?at=${failing}`);
  await page.getByText("red: 1 run failed thresholds").waitFor();
  await page
    .getByRole("region", { name: `Run ${failing}` })
    .getByText("failed its")
    .waitFor();
  await page.goto(page.url().replace(failing, slower));
  await page
    .getByRole("region", { name: `Run ${slower}` })
    .getByText("passed its")
    .waitFor();
  expect(complaints).toEqual([]);
});
