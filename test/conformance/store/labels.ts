import { expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import {
  batchOf,
  expectedSeries,
  sample,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

const oddLabels = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "1",
  "10",
  "9",
  "a",
  "A",
  `it's "quoted"; DROP TABLE endpoints`,
  "two\nlines\r\nand\ttab",
  "nul \0 inside",
  "\ufeffbyte order mark",
  "\u{1f600}",
  "\uff5e",
  "é",
  "e\u0301",
  "</script>",
  "汉".repeat(341) + "x",
];

export function labelsConform(open: () => Promise<Store>): void {
  test("odd labels stay apart, unchanged, and in the order of their UTF-8 bytes", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const samples = oddLabels.map((label, index) => sample(label, 5, index));
    await store.points.append(batchOf(samples));
    await store.points.append(batchOf(samples.toReversed(), { sequence: 1 }));
    expect(await stored(store)).toEqual(expectedSeries([...samples, ...samples]));
  });

  test("order is by UTF-8 bytes, not by UTF-16 units", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    await store.points.append(batchOf([sample("\u{1f600}", 1), sample("\uff5e", 1)]));
    const snapshot = await snapshotOf(store);
    const labels = (await endpointsOf(snapshot)).map(({ label }) => label);
    expect(labels).toEqual(["\uff5e", "\u{1f600}"]);
    snapshot.release();
  });

  test.each(["x".repeat(1024), "汉".repeat(341) + "x"])(
    "1,024 bytes are kept: %s",
    async (label) => {
      const store = await open();
      await store.loadTests.create(loadTest("run"));
      await store.points.append(batchOf([sample("ok", 1), sample(label, 1)]));
      expect(await stored(store)).toEqual(expectedSeries([sample("ok", 1), sample(label, 1)]));
    },
  );

  test.each([
    ["of Latin", "x".repeat(1025)],
    ["of Chinese", "汉".repeat(341) + "xy"],
    ["as if with facets", `${"x".repeat(1024)}\u0001`],
    ["before facets", `${"x".repeat(1025)}\u0001["a","b"]`],
  ])("1,025 bytes %s are refused", async (_, label) => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const batch = batchOf([sample("ok", 1), sample(label, 1)]);
    await expect(store.points.append(batch)).rejects.toMatchObject({ code: "label-too-long" });
    expect(await stored(store)).toEqual([]);
  });

  test("lone surrogates become U+FFFD and with it one endpoint", async () => {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    const samples = ["\ud800", "\ud801", "\ufffd"].map((label) => sample(label, 1));
    await store.points.append(batchOf(samples));
    const replaced = samples.map((each) => ({ ...each, label: "\ufffd" }));
    expect(await stored(store)).toEqual(expectedSeries(replaced));
  });
}
