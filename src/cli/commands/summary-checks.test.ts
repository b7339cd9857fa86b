import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { checksIn, type K6Summary } from "../../../test/support/k6-summary.ts";
import type { Check } from "../../api/summary.ts";
import { recording } from "../../../test/support/recording.ts";

const read = (file: string): string => recording(file).toString();

/** Bodies of one run's posts to InfluxDB. */
const lines = (file: string): string =>
  read(file)
    .split("\n")
    .flatMap((line) => (line === "" ? [] : (JSON.parse(line) as { body: string }).body))
    .join("");

/** What k6 itself says at the end of this run. */
const summary = JSON.parse(
  read("k6-summary/gen-k6-1.8.1-main-summary-export.json.gz"),
) as K6Summary;
const ofK6 = checksIn(summary.root_group).map(({ group, check, passes, fails }) => {
  return [group.slice(2), check, passes, fails, passes / (passes + fails)];
});

test.each([
  ["JSON", read("k6-json/gen-k6-1.8.1-main.json.gz")],
  ["CSV", read("k6-csv/gen-k6-1.8.1-main.csv.gz")],
  ["line protocol", lines("k6-influx/gen-k6-1.8.1-main.influx.ndjson.gz")],
])("summary has the checks of k6's own summary, from %s", async (_door, text) => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "k6"], text);
  const { out } = await program.run(["summary", "k6", "--filter", "batch", "--json"]);
  const { checks } = JSON.parse(out);
  expect(checks).toHaveLength(3);
  const found = (checks as Check[]).map(({ group, name, passed, failed, rate }) => {
    return [group, name, passed, failed, rate];
  });
  expect(new Set(found)).toEqual(new Set(ofK6));
});

const sample = (second: number, value: number, tags: Readonly<Record<string, string>>): string =>
  `${JSON.stringify({ metric: "checks", type: "Point", data: { time: `2026-01-01T00:00:0${second}Z`, value, tags } })}\n`;

const request = JSON.stringify({
  metric: "http_req_duration",
  type: "Point",
  data: { time: "2026-01-01T00:00:01Z", value: 5, tags: { name: "a", status: "200" } },
});

test("checks are merged over scenarios, cut to the range, and the worst comes first", async () => {
  const program = createFakeProgram();
  const ofA = { check: "a | b", group: "" };
  const values = [
    sample(1, 1, { ...ofA, scenario: "one" }),
    sample(1, 0, { ...ofA, scenario: "two" }),
    sample(2, 1, { ...ofA, scenario: "two" }),
    sample(1, 0, { ...ofA, group: "::g" }),
  ];
  await program.run(["import", "-", "--id", "k6"], `${request}\n${values.join("")}`);
  const checks = async (...range: string[]) =>
    JSON.parse((await program.run(["summary", "k6", "--json", ...range])).out).checks;
  const worst = { name: "a | b", group: "g", passed: 0, failed: 1, rate: 0 };
  expect(await checks()).toEqual([
    worst,
    { name: "a | b", group: "", passed: 2, failed: 1, rate: 2 / 3 },
  ]);
  expect(await checks("--until", "2026-01-01T00:00:02Z")).toMatchObject([
    worst,
    { passed: 1, failed: 1 },
  ]);
  const { out } = await program.run(["summary", "k6"]);
  expect(out).toMatch(
    /PASSED +FAILED +RATE +GROUP +CHECK\n0 +1 +0 % +g +a \| b\n2 +1 +66\.7 % +- +a \| b\n$/,
  );
  const markdown = (await program.run(["summary", "k6", "--markdown", "--limit", "1"])).out;
  expect(markdown).toContain("| `a` |\n");
  expect(markdown).toContain(
    "| PASSED | FAILED | RATE | GROUP | CHECK |\n| --- | --- | --- | --- | --- |\n| 0 | 1 | 0 % | `g` | `a \\| b` |\n",
  );
  expect(markdown).not.toContain("66.7 %");
});

test("with --where there are the checks of that facet", async () => {
  const program = createFakeProgram();
  const [one, two] = ["one", "two"].map((scenario) => ({ check: "ok", group: "", scenario }));
  const values = [sample(1, 1, one ?? {}), sample(1, 0, two ?? {}), sample(2, 0, two ?? {})];
  const requests = ["one", "two"].map((scenario) =>
    request.replace('"status"', `"scenario":"${scenario}","status"`),
  );
  await program.run(["import", "-", "--id", "k6"], `${requests.join("\n")}\n${values.join("")}`);
  const words = ["summary", "k6", "--json", "--where", "scenario:two"];
  const { checks } = JSON.parse((await program.run(words)).out);
  expect(checks).toMatchObject([{ name: "ok", passed: 0, failed: 2 }]);
});

test("without checks there is nothing of them", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "k6"], `${request}\n`);
  expect((await program.run(["summary", "k6"])).out).not.toContain("CHECK");
  expect(JSON.parse((await program.run(["summary", "k6", "--json"])).out)).not.toHaveProperty(
    "checks",
  );
});
