import { afterAll, describe, expect, test } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { disagreements } from "../../bench/frame/disagreements.ts";
import { replaceSection } from "../../bench/frame/results-file.ts";
import { type CandidateRounds, runRounds } from "../../bench/frame/run-rounds.ts";
import type { BenchContext, Candidate, Measured, Scenario } from "../../bench/frame/scenario.ts";
import { renderSection } from "../../bench/frame/section.ts";
import { median, quantile } from "../../bench/frame/statistics.ts";
import { atMost, figure, timesLess, timesMore } from "../../bench/frame/targets.ts";
import { npmPeer } from "../../bench/peers/npm-peer.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "tachograph-test-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const context: BenchContext = {
  rows: 1,
  isQuick: true,
  isTable: false,
  before: undefined,
  scratch,
  dataFolder: scratch,
  log: () => undefined,
};

const compared = { ours: "ours", column: "seconds", processorColumn: "work", unit: "s", times: 2 };

function scenario(candidates: readonly Candidate[]): Scenario {
  return {
    name: "some",
    title: "Some work",
    about: "About it.",
    columns: [{ key: "seconds", title: "seconds", better: "less" }],
    relative: { column: "seconds", to: ["peer"] },
    targets: [
      timesLess({ ...compared, text: "work", isHeadline: true, peer: "peer" }),
      atMost({ text: "alone", candidate: "ours", column: "seconds", limit: 1, unit: "s" }),
      timesMore({ ...compared, text: "of none", isHeadline: true, peer: "gone" }),
    ],
    candidates: () => candidates,
  };
}

test("candidates take turns, and all of them are closed where one fails", async () => {
  const calls: string[] = [];
  const candidate = (name: string, roundsMax = Infinity): Candidate => ({
    name,
    roundsMax,
    open: () => ({
      async measure(round) {
        calls.push(`${name}${round}`);
        if (name === "b" && round === 1) throw new Error("no more");
        return { figures: { seconds: round } };
      },
      close: async () => void calls.push(`close ${name}`),
    }),
  });
  const some = scenario([candidate("a"), candidate("b"), candidate("c", 1)]);
  const outcome = await runRounds(some, { roundCount: 3, kept: [] }, context);
  expect(calls.join(" ")).toBe("a0 b0 c0 a1 b1 a2 close a close b close c");
  expect(outcome.map(({ name, rounds, trouble }) => [name, rounds.length, trouble])).toEqual([
    ["a", 3, undefined],
    ["b", 1, "failed: no more"],
    ["c", 1, undefined],
  ]);
});

test("a peer that is missing is said, and its candidate is not opened", async () => {
  const needs = [npmPeer({ name: "Nowhere", version: "1", packageName: "nowhere" })];
  const some = scenario([{ name: "peer", needs, open: () => expect.unreachable() }]);
  const candidates = await runRounds(some, { roundCount: 1, kept: [] }, context);
  expect(candidates[0]?.trouble).toBe("no npm package nowhere (`npm run task bench:install`)");
  const section = renderSection(some, { machine: "It", candidates, disagreements: [] });
  expect(section).toContain("- peer: no npm package nowhere");
});

test("rounds continue those that were kept", async () => {
  const rounds = [{ figures: { seconds: 5 }, load: 1 }];
  const kept = [{ name: "ours", peers: [], rounds }];
  const some = scenario([{ name: "ours", open: () => ({ measure: measureRound }) }]);
  const [ours] = await runRounds(some, { roundCount: 2, kept }, context);
  expect(ours?.rounds.map(({ figures }) => figures["seconds"])).toEqual([5, 1, 2]);
});

describe("a section", () => {
  const candidates: readonly CandidateRounds[] = [
    { name: "ours", peers: [], rounds: roundsOf([0.5, 2, 0.25]) },
    { name: "peer", peers: ["Peer 1.0"], rounds: roundsOf([1.5]) },
  ];

  test("has medians, what they range over, ratios and targets", () => {
    const run = { machine: "A machine", candidates, disagreements: [], checked: "all equal" };
    expect(renderSection(scenario([]), run)).toBe(
      `## Some work (\`npm run task bench -- some\`)

About it.

A machine; load average 1.0 to 1.0; 3 rounds in turns: medians, and lowest to highest in brackets. Beside: Peer 1.0. Checked: all equal.

| candidate | seconds         | x peer |
| --------- | --------------- | ------ |
| ours      | 0.5 (0.25 to 2) | 3      |
| peer      | 1.5             | 1      |

| what    | ours  | peer        | ratio | of processor time | target      | reached      |
| ------- | ----- | ----------- | ----- | ----------------- | ----------- | ------------ |
| work    | 0.5 s | 1.5 s, peer | 3 x   | –                 | 2 x         | yes          |
| alone   | 0.5 s | –           | –     | –                 | at most 1 s | yes          |
| of none | –     | –           | –     | –                 | –           | not measured |
`,
    );
  });

  test("takes the place of the one that had its heading", () => {
    const document = "# All\n\n## A\n\nold\n\n## B\n\nb\n";
    expect(replaceSection(document, "## A\n\nnew\n")).toBe("# All\n\n## A\n\nnew\n\n## B\n\nb\n");
    expect(replaceSection(document, "## B\n\nnew\n")).toBe("# All\n\n## A\n\nold\n\n## B\n\nnew\n");
    expect(replaceSection(document, "## C\n\nnew\n")).toBe(`${document}\n## C\n\nnew\n`);
  });
});

test("results that differ are told", () => {
  expect(disagreements([summing("a", "1", "1"), summing("b", "1")])).toEqual([]);
  expect(disagreements([summing("a", "1"), summing("b", "2", "2")])).toEqual([
    "sum: a says 1, b says 2",
  ]);
});

test.each([
  [[3], 3, 3],
  [[4, 1], 2.5, 4],
  [[5, 1, 9], 5, 9],
])("of %j the median is %d and the 99th percentile %d", (values, middle, high) => {
  expect(median(values)).toBe(middle);
  expect(quantile(values, 0.99)).toBe(high);
});

test.each([
  [0, "0"],
  [0.012345, "0.0123"],
  [12.345, "12.3"],
  [999.6, "1000"],
  [1234567.8, "1,234,568"],
])("%d is written %s", (value, text) => {
  expect(figure(value)).toBe(text);
});

async function measureRound(round: number): Promise<Measured> {
  return { figures: { seconds: round } };
}

function summing(name: string, ...sums: readonly string[]): CandidateRounds {
  return {
    name,
    peers: [],
    rounds: sums.map((sum) => ({ figures: {}, results: { sum }, load: 0 })),
  };
}

function roundsOf(seconds: readonly number[]): CandidateRounds["rounds"] {
  return seconds.map((each) => ({ figures: { seconds: each }, load: 1 }));
}
