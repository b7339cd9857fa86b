import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const DAY_MS = 86_400_000;

/** Sixty requests of `a` and of `b` in a minute, 200 ms each, those of `a` times `factor`: enough for a check of growth. */
function results(night: number, factor: number): string {
  const lines = Array.from({ length: 120 }, (_, index) => {
    const [label, elapsed] = index % 2 === 0 ? ["a", Math.round(200_000 * factor)] : ["b", 200_000];
    return `${1_700_000_000_000 + night * DAY_MS + index * 500},${elapsed},${label},true,10\n`;
  });
  return HEADER + lines.join("");
}

/** Eight nights, by turns 5 % above and below. */
const program = createFakeProgram();
for (const night of Array.from({ length: 8 }).keys()) {
  const words = ["import", "-", "--id", `night-${night}`, "--name", "nightly"];
  await program.run(words, results(night, Math.exp(night % 2 === 0 ? 0.05 : -0.05)));
}
const DEVIATION = 0.05 * Math.sqrt(8 / 7);

async function powerOfA(change: string) {
  const words = ["power", "nightly", "--filter", "a", "--change", change, "--json"];
  const { figures } = JSON.parse((await program.run(words)).out);
  return figures.find(({ figure }: { readonly figure: string }) => figure === "avgLoadTime");
}

/**
 * With 7 degrees of freedom, Student's t is 3.157 at 0.8 % (by integration) and 1.415 at 10 %. Distances, in standard errors, that t tests at 1.6 % of noise yet to be
 * measured find in 90 % of simulated cases: 5.98 with 4 degrees of freedom, 7.40 with 3. One run against n has an error of sqrt(1 + 1 / n) deviations.
 */
test("power says how much the runs differ and what a check of the next one finds", async () => {
  const { level, spread, detectable } = await powerOfA("5%");
  expect(level).toBeCloseTo(200, 2);
  expect(spread).toBeCloseTo(Math.expm1(DEVIATION), 4);
  expect(detectable).toBeCloseTo(Math.expm1((3.157 + 1.415) * DEVIATION * Math.sqrt(9 / 8)), 3);
});

test("power leaves out noise within runs, like a check: a slow quarter at another place in each run", async () => {
  const uneven = createFakeProgram();
  for (const night of Array.from({ length: 8 }).keys()) {
    const lines = results(night, Math.exp(night % 2 === 0 ? 0.05 : -0.05)).split("\n");
    const slow = lines.map((line, index) => {
      const [at, elapsed, ...rest] = line.split(",");
      const isSlow = index > 0 && Math.floor((index - 1) / 30) === night % 4;
      return isSlow ? [at, 3 * Number(elapsed), ...rest].join(",") : line;
    });
    const words = ["import", "-", "--id", `night-${night}`, "--name", "nightly"];
    await uneven.run(words, slow.join("\n"));
  }
  const words = ["power", "nightly", "--filter", "a", "--change", "5%", "--json"];
  const { figures } = JSON.parse((await uneven.run(words)).out);
  const { detectable } = figures.find(({ figure }: { figure: string }) => figure === "avgLoadTime");
  expect(detectable).toBeCloseTo(Math.expm1((3.157 + 1.415) * DEVIATION * Math.sqrt(9 / 8)), 3);
});

test.each([
  [Math.expm1(7.4 * Math.sqrt(5 / 4) * DEVIATION) + 0.01, 4],
  [Math.expm1(5.98 * Math.sqrt(6 / 5) * DEVIATION) + 0.01, 5],
  [0.05, undefined],
])("growth by %d takes %s earlier runs", async (growth, runs) => {
  const { earlierRuns } = await powerOfA(`${(100 * growth).toFixed(2)}%`);
  expect(earlierRuns).toBe(runs);
});

test.each([
  // Seven pairs are the fewest that can decide.
  ["50%", 7],
  // Of a million simulated t tests at 1 %, 11 pairs find it in 89.7 %, 12 in 93.0 %.
  ["10%", 12],
])("growth by %s takes %d pairs", async (growth, count) => {
  expect((await powerOfA(growth)).pairs).toBe(count);
});

test("no growth is detectable in runs that are too short for a check of growth", async () => {
  const short = createFakeProgram();
  for (const night of Array.from({ length: 8 }).keys()) {
    const lines = results(night, 1 + night / 100)
      .split("\n")
      .slice(0, 40);
    await short.run(
      ["import", "-", "--id", `night-${night}`, "--name", "nightly"],
      lines.join("\n"),
    );
  }
  const { out } = await short.run(["power", "nightly", "--change", "5%", "--json"]);
  for (const figure of JSON.parse(out).figures) {
    expect(figure).not.toHaveProperty("detectable");
    expect(figure).not.toHaveProperty("earlierRuns");
  }
});

test("power prints a table, and says when there are too few runs", async () => {
  const { exitCode, out } = await program.run(["power", "nightly", "--change", "5%"]);
  expect(exitCode).toBe(0);
  const lines = out.split("\n");
  expect(lines[0]).toBe("nightly: 8 runs");
  expect(lines[2]).toMatch(
    /^STATISTIC +LEVEL +SPREAD +NEXT RUN FINDS +EARLIER RUNS FOR 5 % +PAIRS$/,
  );
  expect(lines[3]).toMatch(/^errors +0 % +/);
  await program.run(["import", "-", "--id", "other"], results(0, 1));
  const few = await program.run(["power", "other", "--change", "5%"]);
  expect(few.out).toBe(
    "other: 1 run; noise between runs is unknown: 4 runs on one level are needed\n",
  );
});

test.each([
  [["nightly", "--change", "5"], "Expected a percentage such as 5%"],
  [["nightly", "--change", "0%"], "Expected a percentage such as 5%"],
  [["nightly"], "'--change <percent>' not specified"],
])("power %j is a usage error", async (words, message) => {
  const { exitCode, error } = await program.run(["power", ...words]);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});
