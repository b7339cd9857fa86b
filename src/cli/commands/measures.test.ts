import { afterAll, expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { createTestServer } from "../../../test/support/test-server.ts";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const server = ["--url", await world.server.listen(), "--key", world.key];
afterAll(() => world.server.close());

const measured = new MeasureAccumulator();
const cpu = measured.seriesOf({
  label: undefined,
  name: "cpu.usage_user",
  unit: "%",
  kind: "gauge",
  tags: [["host", "a"]],
});
for (const [second, value] of [12.5, 97.25].entries()) measured.add(cpu, 1000 * second, value);
const waiting = measured.seriesOf({
  label: 0,
  name: "waiting",
  unit: "ms",
  kind: "distribution",
  tags: [["url", "x".repeat(200)]],
});
measured.add(waiting, 1000, 40);
measured.add(waiting, 1000, Number.NaN);
await world.store.loadTests.create(loadTest("measured"));
await world.store.points.append(
  batchOf([sample("GET /", 1)], { loadTestId: "measured", measures: measured.take() }),
);

test.each([
  ["the store", []],
  ["a server", server],
])("%s: a row per series, no wider than the terminal", async (_, place) => {
  const { exitCode, out } = await program.run(["measures", "measured", ...place]);
  expect(exitCode).toBe(0);
  expect(
    out
      .split("\n")
      .slice(0, 3)
      .map(({ length }) => length > 200),
  ).toEqual([false, false, false]);
  const [head, ...rows] = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  expect(head).toEqual("MEASURE|UNIT|COUNT|SUM|MEAN|MIN|P95|MAX|ENDPOINT, TAGS".split("|"));
  expect(rows).toEqual([
    "cpu.usage_user|%|2|109.75|54.875|12.5|-|97.25|host=a".split("|"),
    [
      "waiting",
      "ms",
      ..."1|40|40|40|40|40".split("|"),
      expect.stringMatching(/^GET \/ url=x+…x+$/),
    ],
    [
      "values of measures that were not stored: 1 that are not finite numbers up to 2^53 - 1, or negative times",
    ],
  ]);
});

test("the measures of a name, as JSON", async () => {
  const { out } = await program.run(["measures", "measured", "waiting", "--json"]);
  expect(JSON.parse(out).measures).toMatchObject([{ name: "waiting", count: 1, max: 40 }]);
  expect((await program.run(["measures", "measured", "none"])).out).toMatch(/^no measures\n/);
});

test.each([
  ["measure cpu.usage_user: max > 90", 4, /FAILED +measure cpu.usage_user: max > 90 +97.25/],
  ["measure cpu.usage_user: max > 98", 0, /ok +.*97.25/],
  ["measure disk: max > 98", 4, /FAILED.*no such measure/],
])("check --fail-if '%s'", async (expression, code, line) => {
  for (const place of [[], server]) {
    const checked = await program.run(["check", "measured", "--fail-if", expression, ...place]);
    expect([checked.exitCode, checked.out]).toEqual([code, expect.stringMatching(line)]);
  }
});

test("eleven percentiles are checked on a server, too", async () => {
  for (const [about, bound] of [
    ["", "1s"],
    ["measure waiting: ", "41"],
  ]) {
    const limits = Array.from({ length: 11 }, (_, at) => `${about}p${60 + at} > ${bound}`);
    const given = limits.flatMap((limit) => ["--fail-if", limit]);
    for (const place of [[], server]) {
      const { exitCode, out } = await program.run(["check", "measured", ...given, ...place]);
      expect([exitCode, out]).toEqual([0, expect.stringContaining("0 of 11 thresholds failed")]);
    }
  }
});

test("merged, or by the values of a tag", async () => {
  const { out } = await program.run(["measures", "measured", "--select", "{} by host", "--json"]);
  expect(JSON.parse(out).measures).toMatchObject([
    { name: "cpu.usage_user", tags: { host: "a" }, mean: 54.875 },
    { name: "waiting", count: 1 },
  ]);
  const wrong = await program.run(["measures", "measured", "--select", "cpu{"]);
  expect([wrong.exitCode, wrong.error]).toEqual([2, expect.stringContaining("expected a tag")]);
});
