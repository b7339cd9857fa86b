import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

let world: World;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test("a file is uploaded, its report tells what was rejected, and it leads to the load test", async () => {
  const { page, complaints } = await world.openWithKey("/");
  const rows = "1700000000000,5,a,200,OK,true\n1700000001000,NaN,b,200,OK,true\n";
  await page.setInputFiles("input[type=file]", {
    name: "from page.jtl",
    mimeType: "text/plain",
    buffer: Buffer.from(`timeStamp,elapsed,label,responseCode,responseMessage,success\n${rows}`),
  });
  await page.getByText(/elapsed: got "NaN"/).waitFor();
  const report = await page.locator(".report").first().innerText();
  expect(report).toMatch(/rows read\s+2\s+= recorded\s+1.*\+ rejected\s+1/s);
  await page.getByRole("link", { name: "Open load test" }).click();
  await page.getByRole("heading", { name: "from page.jtl" }).waitFor();
  expect(complaints).toEqual([]);
});
