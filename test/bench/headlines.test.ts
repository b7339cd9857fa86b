import { expect, test } from "vitest";
import {
  headlineRows,
  losses,
  replaceHeadlines,
  withHeadlinesOnly,
} from "../../bench/frame/headlines.ts";
import type { CandidateRounds } from "../../bench/frame/run-rounds.ts";
import type { BenchContext, Scenario } from "../../bench/frame/scenario.ts";
import { readTable } from "../../bench/frame/table.ts";
import { atMost, shareAtMost, timesMore } from "../../bench/frame/targets.ts";

const compared = { ours: "ours", peer: "peer", isHeadline: true, unit: "/s" };

const reads: Scenario = {
  name: "reads",
  title: "Reads",
  about: "About them.",
  columns: [],
  targets: [
    timesMore({ ...compared, text: "reads", column: "rate", processorColumn: "work", times: 2 }),
    shareAtMost({ ...compared, text: "their work", column: "work", times: 0.5 }),
    timesMore({ ...compared, text: "others", isHeadline: false, column: "rate", times: 1 }),
  ],
  candidates: () =>
    ["ours", "peer", "another"].map((name) => ({ name, open: () => expect.fail() })),
};

const memory: Scenario = {
  ...reads,
  name: "memory",
  targets: [
    atMost({
      text: "memory",
      isHeadline: true,
      candidate: "ours",
      column: "mb",
      limit: 64,
      unit: "MB",
    }),
    atMost({
      text: "start",
      isHeadline: true,
      candidate: "ours",
      column: "s",
      limit: 1,
      unit: "s",
    }),
  ],
};

function measured(name: string, figures: Readonly<Record<string, number>>): CandidateRounds {
  return { name, peers: [], rounds: [{ figures, load: 1 }] };
}

const ROUNDS = [measured("ours", { rate: 300, work: 2 }), measured("peer", { rate: 200, work: 5 })];

const DOCUMENT = `# Measured

| what   | ours   | peer | ratio | of processor time | target        | reached | measured |
| ------ | ------ | ---- | ----- | ----------------- | ------------- | ------- | -------- |
| gone   | 1      | –    | –     | –                 | –             | yes     | then     |
| memory | 100 MB | –    | –     | –                 | at most 64 MB | **no**  | then     |

## A section

| what |
| ---- |
| else |
`;

test("a row has the ratio and that of processor time, which is of less", () => {
  expect(headlineRows(reads, ROUNDS, "now")).toEqual([
    ["reads", "300 /s", "200 /s, peer", "1.5 x", "2.5 x", "2 x", "**no**", "now"],
    ["their work", "2 /s", "5 /s, peer", "0.4 x", "–", "at most 0.5 x", "yes", "now"],
  ]);
});

test("rows are replaced in the first table alone, in the order of the scenarios", () => {
  const rows = headlineRows(reads, ROUNDS, "now");
  const document = replaceHeadlines(DOCUMENT, rows, [reads, memory]);
  const head = [
    "what",
    "ours",
    "peer",
    "ratio",
    "of processor time",
    "target",
    "reached",
    "measured",
  ];
  expect(readTable(document, head).map(([what]) => what)).toEqual([
    "reads",
    "their work",
    "memory",
  ]);
  expect(document.split("## A section")[1]).toBe(DOCUMENT.split("## A section")[1]);
  expect(document).toContain("| 100 MB | –");
});

test("a row that was not measured stays as it was", () => {
  const known = replaceHeadlines(DOCUMENT, headlineRows(reads, ROUNDS, "then"), [reads]);
  const alone = headlineRows(reads, [measured("ours", { rate: 1 })], "now");
  expect(alone[0]).toContain("not measured");
  expect(replaceHeadlines(known, alone, [reads])).toBe(known);
});

test.each<[what: string, ours: object, peer: object, lost: string[]]>([
  ["no more than 10 %", { rate: 100, work: 2.7 }, { rate: 200, work: 6.1 }, []],
  [
    "processor time, which counts before the clock",
    { rate: 900, work: 3 },
    { rate: 9, work: 6 },
    ["reads: 2, and 2.5 before", "their work: 0.5, and 0.4 before"],
  ],
])("a loss: %s", (_, ours, peer, lost) => {
  const known = replaceHeadlines(DOCUMENT, headlineRows(reads, ROUNDS, "then"), [reads]);
  const rounds = [measured("ours", { ...ours }), measured("peer", { ...peer })];
  expect(losses(known, headlineRows(reads, rounds, "now"))).toEqual(lost);
});

test("processor time that the last table does not have is not compared with its ratio", () => {
  const rates = [measured("ours", { rate: 300 }), measured("peer", { rate: 200 })];
  const known = replaceHeadlines(DOCUMENT, headlineRows(reads, rates, "then"), [reads]);
  const busy = [measured("ours", { rate: 300, work: 9 }), measured("peer", { rate: 200, work: 9 })];
  expect(losses(known, headlineRows(reads, busy, "now"))).toEqual([]);
});

test("sizes are compared without a peer, times are not", () => {
  const rows = (mb: number, s: number) =>
    headlineRows(memory, [measured("ours", { mb, s })], "now");
  const known = replaceHeadlines(DOCUMENT, rows(100, 1), [memory]);
  expect(losses(known, rows(110, 5))).toEqual([]);
  expect(losses(known, rows(112, 5))).toEqual(["memory: 112, and 100 before"]);
});

test("the quick table measures only the candidates that its rows need", async () => {
  const candidates = await withHeadlinesOnly(reads).candidates({} as BenchContext);
  expect(candidates.map(({ name }) => name)).toEqual(["ours", "peer"]);
});
