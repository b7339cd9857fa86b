import { expect, test } from "vitest";
import { decodePeriods, endpoint, SECOND, TIMES } from "../../../test/support/artillery-reports.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { artilleryJson } from "./artillery-json.ts";
import { recording } from "../../../test/support/recording.ts";

interface Report {
  readonly aggregate: {
    readonly counters: Readonly<Record<string, number>>;
    readonly summaries: Readonly<Record<string, Readonly<Record<string, number>>>>;
  };
}

/** What is of requests and failures: shop.v2 is the namespace that one of the scripts sets. */
const OF_REQUESTS =
  /^http\.(?:codes\.|response_time$)|^errors\.|\.codes\.\d+$|\.errors\.|\.response_time\.(?!\dxx$)/;

const others = (all: object) => Object.keys(all).filter((key) => !OF_REQUESTS.test(key));

test.each(["metrics-by-endpoint", "no-plugin-named", "namespace"])(
  "counters and summaries of the whole run: %s",
  (name) => {
    const file = `gen-artillery-2.0.34-${name}.json.gz`;
    const text = recording(`artillery/${file}`).toString();
    const { counters, summaries } = (JSON.parse(text) as Report).aggregate;
    const { measured } = decodeSource(artilleryJson, text, [500]);
    const got = Object.fromEntries(measured?.all.map((each) => [each.name, each]) ?? []);
    expect(new Set(Object.keys(got))).toEqual(new Set([...others(counters), ...others(summaries)]));
    expect(others(counters).map((key) => [key, got[key]?.kind, got[key]?.sum])).toEqual(
      others(counters).map((key) => [key, "counter", counters[key]]),
    );
    const own = others(summaries).flatMap((key) => got[key] ?? []);
    expect(
      own.map(({ name: key, unit, kind, count, min, max }) => [key, kind, unit, count, min, max]),
    ).toEqual(
      others(summaries).map((key) => {
        const { count, min, max } = summaries[key] ?? {};
        return [key, "distribution", "ms", count, min, max];
      }),
    );
    // Means of windows and of the run are rounded to one decimal.
    const means = own.map(({ sum, count }) => sum / count);
    const differences = others(summaries).map((key, at) => {
      return Math.abs((means[at] ?? 0) - (summaries[key]?.["mean"] ?? 0));
    });
    expect(Math.max(...differences)).toBeLessThanOrEqual(0.1);
  },
);

test("metrics of a script have no unit and are at the start of their window", () => {
  const times = { ...TIMES, count: 4 };
  const { counters, summaries } = endpoint("/cart", { "codes.200": 4 }, times);
  const { measured } = decodePeriods({
    counters: { ...counters, "cart.items": 12, "http.codes.200": 4 },
    summaries: { ...summaries, "cart.weight": { min: 1, max: 40, mean: 12.5, count: 4 } },
  });
  const all = measured?.all.map(({ name, unit, kind, count, sum, seconds }) => {
    return [name, unit, kind, count, sum, seconds.map(([second]) => second)];
  });
  expect(all).toEqual([
    ["cart.items", "", "counter", 1, 12, [SECOND]],
    ["cart.weight", "", "distribution", 4, 50, [SECOND]],
  ]);
});

test("a summary without a mean is counted as not stored", () => {
  const { measured } = decodePeriods({
    counters: { "http.codes.200": 1 },
    summaries: { weight: { min: 1, max: 2, count: 3 } },
  });
  expect([measured?.all, measured?.unstored["value"]]).toEqual([[], 3]);
});
