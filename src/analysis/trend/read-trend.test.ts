import { expect, test } from "vitest";
import { FIRST_NIGHT, storeNights } from "../../../test/support/nightly-load-tests.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { ALL_ENDPOINTS, hashOfLabel } from "../../series/endpoint-selection.ts";
import { summarise } from "../../query/open-summary.ts";
import { readTrend, type TrendQuery } from "./read-trend.ts";
import { TREND_FIGURES } from "../../api/trend.ts";

const store = openMemoryStore();
await storeNights(store, { nights: 24, slowerFrom: 14 });

const trend = (query: Partial<TrendQuery>) =>
  readTrend(store, {
    last: 100,
    selection: ALL_ENDPOINTS,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
    ...query,
  });

const idsOf = async (query: Partial<TrendQuery>) =>
  (await trend(query)).loadTests.map(({ id }) => Number(id.replace("nightly-", "")));

test("reports the run that introduced a change, per endpoint and overall", async () => {
  const { changes } = await trend({ name: "checkout" });
  const told = changes.map(({ label = "(all)", figure, loadTestId }) => {
    return [label, figure, loadTestId];
  });
  for (const figure of ["avgLoadTime", "p50", "p95", "p99"]) {
    expect(told).toContainEqual(["(all)", figure, "nightly-14"]);
    expect(told).toContainEqual(["cart", figure, "nightly-14"]);
  }
  expect(told).toHaveLength(8);
  const ofCart = changes.find(({ label, figure }) => label === "cart" && figure === "avgLoadTime");
  expect(ofCart).toMatchObject({
    hash: hashOfLabel("cart"),
    loadTestsBefore: 14,
    loadTestsAfter: 10,
  });
  // Averages of cart are 109.4 ms times the noise of the night; the noise of both levels is much the same.
  expect(ofCart?.change).toBeCloseTo(0.5, 1);
  expect(ofCart?.before).toBeGreaterThan(0.1085);
  expect(ofCart?.before).toBeLessThan(0.114);
});

test("values equal the figures of each run's summary", async () => {
  const { overall, endpoints, loadTests } = await trend({ name: "checkout", last: 3 });
  for (const [at, { id }] of loadTests.entries()) {
    const query = { loadTestId: id, selection: ALL_ENDPOINTS, range: undefined };
    const summary = await summarise(store.points, { ...query, apdexMicros: undefined });
    for (const figure of TREND_FIGURES) {
      expect(overall[figure][at]).toBe(summary.overall[figure]);
      const own = endpoints.map((endpoint) => endpoint[figure][at]);
      expect(own).toEqual(summary.endpoints.map((endpoint) => endpoint[figure]));
    }
  }
  expect(endpoints.map(({ label }) => label)).toEqual(["cart", "pay"]);
});

test("runs are ordered by start, and only those of exactly this name are included", async () => {
  const { loadTests, leftOut } = await trend({ name: "checkout" });
  expect(loadTests).toHaveLength(24);
  expect(loadTests[0]).toMatchObject({
    id: "nightly-0",
    name: "checkout",
    startedAt: FIRST_NIGHT,
  });
  expect(loadTests.at(-1)?.id).toBe("nightly-23");
  expect(leftOut).toEqual({ loadTests: 0, endpoints: 0 });
});

test.each<[string, Partial<TrendQuery>, readonly number[]]>([
  ["the last ones", { name: "checkout", last: 2 }, [22, 23]],
  ["those since a baseline", { name: "checkout", since: "nightly-21" }, [21, 22, 23]],
  ["those up to one", { name: "checkout", upTo: "nightly-2" }, [0, 1, 2]],
  ["some in between", { name: "checkout", since: "nightly-3", upTo: "nightly-9", last: 2 }, [8, 9]],
  ["one alone", { name: "checkout", since: "nightly-3", upTo: "nightly-3" }, [3]],
  ["those with a tag", { tag: "even", last: 3 }, [18, 20, 22]],
  ["those with name and tag", { name: "checkout", tag: "even", last: 1 }, [22]],
])("%s are chosen", async (_, query, expected) => {
  expect(await idsOf(query)).toEqual(expected);
});

test("a load test of another name can end the series", async () => {
  const { loadTests, leftOut } = await trend({ name: "checkout", upTo: "other", last: 2 });
  expect(loadTests.map(({ id }) => id)).toEqual(["nightly-23", "other"]);
  expect(leftOut.loadTests).toBe(23);
});

test("selection and skipped seconds apply to all runs", async () => {
  const given = { name: "checkout", last: 2 };
  const { endpoints, overall } = await trend({
    ...given,
    selection: { by: "filter", filter: "pay" },
    skipStartSeconds: 5,
    skipEndSeconds: 5,
  });
  expect(endpoints.map(({ label }) => label)).toEqual(["pay"]);
  // One request of pay a second, and 10 of 20 seconds.
  expect(overall.count).toEqual([10, 10]);
});

test("a run without requests is a gap", async () => {
  const own = openMemoryStore();
  await storeNights(own, { nights: 2, slowerFrom: 9 });
  await own.loadTests.create({ ...loadTest("empty", 3), name: "checkout" });
  const query = { last: 9, selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };
  const { loadTests, overall } = await readTrend(own, { ...query, name: "checkout" });
  expect(loadTests.map(({ id }) => id)).toEqual(["empty", "nightly-0", "nightly-1"]);
  expect(overall.count).toEqual([null, 60, 60]);
});

test.each<[string, Partial<TrendQuery>, string]>([
  ["no such name", { name: "check" }, "unknown-load-test"],
  ["no such tag", { name: "checkout", tag: "odd" }, "unknown-load-test"],
  ["no such baseline", { name: "checkout", since: "nightly-99" }, "unknown-load-test"],
  ["neither name nor tag", {}, "bad-parameter"],
  [
    "an end before the begin",
    { name: "checkout", since: "nightly-3", upTo: "nightly-2" },
    "bad-parameter",
  ],
])("%s is an error", async (_, query, code) => {
  await expect(trend(query)).rejects.toMatchObject({ code });
});

test("by default, the history begins at the baseline of the name", async () => {
  const own = openMemoryStore();
  await storeNights(own, { nights: 12, slowerFrom: 99 });
  const idsSince = async (query: Partial<TrendQuery>) => {
    const always = { last: 99, selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };
    const { since, baseline, loadTests } = await readTrend(own, { ...always, ...query });
    return [since, baseline, loadTests.length];
  };
  const name = "checkout";
  expect(await idsSince({ name })).toEqual([undefined, undefined, 12]);
  for (const id of ["nightly-5", "other"]) {
    await own.loadTests.update(id, { addedTags: ["baseline"] });
  }
  const pinned = "nightly-5";
  expect(await idsSince({ name })).toEqual([pinned, pinned, 7]);
  expect(await idsSince({ name, ignoreBaseline: true })).toEqual([undefined, pinned, 12]);
  expect(await idsSince({ name, since: "nightly-9" })).toEqual(["nightly-9", pinned, 3]);
  // The baseline lacks the tag, but the tagged runs begin after it.
  expect(await idsSince({ name, tag: "even" })).toEqual([pinned, pinned, 3]);
  expect(await idsSince({ tag: "even" })).toEqual([undefined, undefined, 6]);
  expect(await idsSince({ name, upTo: "nightly-7" })).toEqual([pinned, pinned, 3]);
  // As it was seen before there was that baseline.
  expect(await idsSince({ name, upTo: "nightly-4" })).toEqual([undefined, pinned, 5]);
});
