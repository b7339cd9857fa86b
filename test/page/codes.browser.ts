/// <reference lib="dom" />
/** A run of k6, compared with what its file says line by line. */

import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "./browser.ts";

const FILE = path.join(import.meta.dirname, "../fixtures/k6-json/gen-k6-1.8.1-main.json.gz");

interface Sample {
  readonly metric: string;
  readonly data: {
    readonly time: string;
    readonly value: number;
    readonly tags: Readonly<Record<string, string>>;
  };
}

/** Its requests, with the second at which each started, and the samples that came with it. */
interface Request {
  readonly second: number;
  readonly tags: Sample["data"]["tags"];
  readonly millisOf: ReadonlyMap<string, number>;
}

function requestsIn(file: string): readonly Request[] {
  const samples = gunzipSync(readFileSync(file))
    .toString()
    .split("\n")
    .filter((line) => line.includes('"Point"') && line.includes('"http_req_'))
    .map((line) => JSON.parse(line) as Sample);
  const requests: { second: number; tags: Request["tags"]; millisOf: Map<string, number> }[] = [];
  for (const { metric, data } of samples) {
    const { time, value, tags } = data;
    if (metric === "http_req_duration") {
      const second = Math.floor((Date.parse(time) - value) / 1000);
      requests.push({ second, tags, millisOf: new Map() });
    }
    requests.at(-1)?.millisOf.set(metric, value);
  }
  return requests;
}

const requests = requestsIn(FILE);
const seconds = requests.map(({ second }) => second);
const [first, last] = [Math.min(...seconds), Math.max(...seconds)];

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.import([FILE, "--id", "k6"]);
}, 60_000);

afterAll(() => world?.close());

/** What a chart says of each window, from the first. */
async function readOut(page: Page, title: RegExp, windows: number): Promise<readonly string[]> {
  const chart = page.getByRole("slider", { name: title });
  await chart.focus();
  const texts: string[] = [];
  while (texts.length < windows) {
    await page.keyboard.press(texts.length === 0 ? "Home" : "ArrowRight");
    await expect.poll(() => chart.getAttribute("aria-valuenow")).toBe(String(texts.length));
    texts.push((await chart.getAttribute("aria-valuetext")) ?? "");
  }
  return texts;
}

test("codes per second are those of the file, of failed requests and of passed ones", async () => {
  const { page, complaints } = await world.openWithKey("/t/k6");
  const texts = await readOut(page, /^Codes/, last - first + 1);
  for (const [name, status, expected] of [
    ["404", "404", "false"],
    ["404 passed", "404", "true"],
    ["302 passed", "302", "true"],
    ["201 passed", "201", "true"],
  ] as const) {
    const told = texts.map((text) => Number(new RegExp(`[:,] ${name} (\\d+) /s`).exec(text)?.[1]));
    const inFile = texts.map(
      (_, at) =>
        requests.filter(
          ({ second, tags }) =>
            second === first + at &&
            tags["status"] === status &&
            // Without a callback k6 judges none; then the status does.
            (tags["expected_response"] ?? `${Number(tags["status"]) < 400}`) === expected,
        ).length,
    );
    expect([name, ...told]).toEqual([name, ...inFile]);
  }
  await page.goto(`${world.url}/t/k6?outcome=passed`);
  await page
    .getByRole("slider", { name: /^Codes over time: 404 passed, 201 passed, 302 passed$/ })
    .waitFor();
  expect(complaints).toEqual([]);
});

test("a narrow window names the colours of codes", async () => {
  const { page, complaints } = await world.openWithKey("/t/k6");
  await page.setViewportSize({ width: 390, height: 844 });
  const measures = page.getByRole("region", { name: "Measures" });
  await measures.getByRole("button", { name: "404 passed" }).waitFor();
  // The head of requests says what it shows.
  await expect
    .poll(() => page.getByRole("button", { name: "requests", exact: true }).count())
    .toBe(0);
  expect(complaints).toEqual([]);
});

test("phases of an endpoint are averages of its minutes, and add up to its duration", async () => {
  const { page, complaints } = await world.openWithKey("/t/k6?rows=all");
  await page.getByRole("checkbox", { name: "checkout" }).check();
  const texts = await readOut(page, /^Phases/, last - first + 1);
  const own = requests.filter(({ tags }) => tags["name"] === "checkout");
  for (const [at, text] of texts.entries()) {
    const minute = Math.floor((first + at) / 60);
    const ofMinute = own.filter(({ second }) => Math.floor(second / 60) === minute);
    const average = (metric: string): number =>
      ofMinute.reduce((sum, { millisOf }) => sum + (millisOf.get(metric) ?? NaN), 0) /
      ofMinute.length;
    const parts = ["sending", "waiting", "receiving"].map((part) => average(`http_req_${part}`));
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(average("http_req_duration"), 3);
    expect(text).toContain(`waiting ${Math.round(average("http_req_waiting"))} ms`);
  }
  expect(complaints).toEqual([]);
});

test("checks are counted by name and group, the least passed first, in the report, too", async () => {
  const checks = new Map<string, { passed: number; failed: number }>();
  for (const line of gunzipSync(readFileSync(FILE)).toString().split("\n")) {
    if (!line.startsWith('{"metric":"checks"')) continue;
    const { value, tags } = (JSON.parse(line) as Sample).data;
    const name = `${tags["check"]} | ${tags["group"]?.slice(2).replace("::", " › ")}`;
    const { passed, failed } = checks.get(name) ?? { passed: 0, failed: 0 };
    checks.set(name, { passed: passed + value, failed: failed + 1 - value });
  }
  const rows = [...checks]
    .map(([name, { passed, failed }]) => ({ text: `${name} | ${passed} | ${failed} | `, failed }))
    .toSorted((one, other) => other.failed - one.failed);
  const { page, complaints } = await world.openWithKey("/t/k6");
  const readTable = async () => {
    const cells = page.getByRole("region", { name: "Checks" }).locator("tbody tr");
    await cells.first().waitFor();
    return cells.evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent).join(" | ")),
    );
  };
  const table = await readTable();
  expect(table.map((row) => row.replace(/\d+\s?%$/, "")).toSorted()).toEqual(
    rows.map(({ text }) => text).toSorted(),
  );
  // 42 of 43, 89 of 91, 91 of 91.
  expect(table.map((row) => /\d+(?=\s?%$)/.exec(row)?.[0])).toEqual(["98", "98", "100"]);
  const file = path.join(mkdtempSync(path.join(tmpdir(), "report-")), "k6.html");
  await world.command(["report", "k6", "--output", file]);
  await page.goto(`file://${file}`);
  expect(await readTable()).toEqual(table);
  expect(complaints).toEqual([]);
});
