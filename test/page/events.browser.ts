/// <reference lib="dom" />
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, DEMO, type World } from "./browser.ts";

let world: World;
let folder: string;
/** UNIX second of the first request. */
let from: number;

beforeAll(async () => {
  world = await createWorld();
  folder = mkdtempSync(path.join(tmpdir(), "tachograph-events-"));
  await world.import([DEMO, "--id", "shop"]);
  const shown = await fetch(`${world.url}/Api/LoadTests/shop`, {
    headers: { "X-Service-Auth": world.key },
  });
  ({ from } = (await shown.json()) as { readonly from: number });
  for (const [after, text] of [
    [60, "deployed 1.4"],
    [120, "<b>failover</b> of the database"],
  ] as const) {
    const at = new Date((from + after) * 1000).toISOString();
    const { status } = await fetch(`${world.url}/Api/LoadTests/shop/Events`, {
      method: "POST",
      headers: { "X-Service-Auth": world.key, "Content-Type": "application/json" },
      body: JSON.stringify({ at, text }),
    });
    if (status >= 300) throw new Error(`event: ${status}`);
  }
}, 60_000);

afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

const TEXTS = ["deployed 1.4", "<b>failover</b> of the database"];

test("events are flags in every chart, and listed with their time", async () => {
  const { page, complaints } = await world.openWithKey("/t/shop?clock=utc");
  const items = page.getByRole("region", { name: "Events" }).getByRole("listitem");
  await expect.poll(() => items.count()).toBe(2);
  const times = [60, 120].map((after) =>
    new Date((from + after) * 1000).toISOString().slice(11, 19),
  );
  await expect
    .poll(async () => (await items.allInnerTexts()).map((text) => text.split("\n")))
    .toEqual(TEXTS.map((text, at) => [times[at], text]));
  // The keyboard cursor reads the flag out.
  const chart = page.getByRole("slider", { name: /^Response time/ });
  await chart.focus();
  await expect
    .poll(async () => {
      await page.keyboard.press("ArrowRight");
      return chart.getAttribute("aria-valuetext");
    })
    .toContain("deployed 1.4");
  expect(complaints).toEqual([]);
});

test("only events of the range are listed, and reports have them", async () => {
  const { page } = await world.openWithKey(`/t/shop?from=${from}&until=${from + 90}`);
  const items = page.getByRole("region", { name: "Events" }).getByRole("listitem");
  await expect.poll(() => items.count()).toBe(1);
  const file = path.join(folder, "report.html");
  await world.command(["report", "shop", "-o", file]);
  const report = await world.open();
  await report.page.goto(pathToFileURL(file).href);
  await report.page.getByText("deployed 1.4").waitFor();
  expect(report.complaints).toEqual([]);
});
