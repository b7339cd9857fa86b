import { expect, test } from "vitest";
import type { ComparedRuns } from "../../api/compare.ts";
import { comparedRunsTexts, type ShownStatistic } from "./compared-runs-texts.ts";

const START = 1_700_000_000;
const NONE = { shift: {}, errRate: {}, avgLoadTime: {}, p50: {}, p95: {}, p99: {} };
const RUN = {
  name: "shop",
  startedAt: START,
  overallOf: "requests",
  leftOut: { transactions: 0, subresults: 0 },
  quality: [],
} as const;

const COMPARED: ComparedRuns = {
  loadTests: [
    { ...RUN, id: "a" },
    {
      ...RUN,
      id: "b",
      events: [
        { id: "1", at: new Date((START + 200) * 1000).toISOString(), text: "pool *doubled*" },
        {
          id: "2",
          at: new Date((START + 5) * 1000).toISOString(),
          until: new Date((START + 60) * 1000).toISOString(),
          text: "ramp",
          endpoint: "GET /",
          author: "ci",
        },
      ],
    },
  ],
  overall: [
    { count: 1, ...NONE },
    { count: 1, ...NONE },
  ],
  endpoints: [],
  measures: [
    {
      name: "cpu",
      unit: "%",
      kind: "gauge",
      tags: {},
      worse: "higher",
      cells: [
        { count: 9, mean: { value: 30 }, max: { value: 40 } },
        { count: 9, verdict: "worse", mean: { value: 60, change: 1, isSignificant: true } },
      ],
    },
    {
      name: "wait",
      unit: "ms",
      kind: "distribution",
      tags: { host: "db" },
      worse: "higher",
      cells: [
        { count: 9, mean: { value: 3 }, p95: { value: 4 } },
        {
          count: 9,
          verdict: "unchanged",
          mean: { value: 3, change: 0 },
          p95: { value: 5, change: 0.25 },
        },
      ],
    },
    {
      name: "gone",
      unit: "",
      kind: "counter",
      tags: {},
      worse: "either",
      cells: [
        { count: 9, rate: { value: 2 } },
        { count: 0, verdict: "gone", rate: {} },
      ],
    },
  ],
  leftOut: { endpoints: 0, loadTests: 0 },
  errorProbability: { each: 0.01, any: 0.01 },
};

const textsOf = (statistic: ShownStatistic, limit = 3) =>
  comparedRunsTexts(COMPARED, statistic, limit, (text) => `<${text}>`);

test("a measure is a row, of the statistic that it has", () => {
  expect(textsOf("p95").measures).toEqual([
    ["1", "2", "MEASURE"],
    ["30 %", "▲ 60 % (+100 % *)", "<cpu avg>"],
    ["4 ms", "5 ms (+25 %)", "<wait host=db p95>"],
    ["2/s", "–", "<gone>"],
  ]);
  expect(textsOf("p99").measures[2]).toEqual(["3 ms", "3 ms (=)", "<wait host=db avg>"]);
  expect(textsOf("p95", 1).notes).toContain("2 measures not shown");
});

test("of many events the first ten are named, so that there is room for the tables", () => {
  const [base, run] = COMPARED.loadTests;
  const events = Array.from({ length: 11 }, (_, at) => ({
    id: `${at}`,
    at: new Date((START + at) * 1000).toISOString(),
    text: `event ${at + 1}`,
  }));
  const loadTests = [base, run].flatMap((each) => (each === undefined ? [] : { ...each, events }));
  const { notes } = comparedRunsTexts({ ...COMPARED, loadTests }, "p95", 3, String);
  expect(notes.filter((note) => note.includes("event "))).toHaveLength(20);
  expect(notes).toContain("2: further events not shown");
});

test("a unit is neither markup nor a mention, and controls no terminal", () => {
  const [cpu] = COMPARED.measures ?? [];
  const [row] = cpu === undefined ? [] : [{ ...cpu, unit: "a|[x](http://e)@b\u001b[31m<i>" }];
  const compared = { ...COMPARED, measures: row === undefined ? [] : [row] };
  const { measures } = comparedRunsTexts(compared, "p95", 3, String);
  expect(measures[1]?.[0]).toBe("30 a??x?(http?//e)?b??31m?i?");
});

test("events and notes are named with their run, by the time since its start", () => {
  expect(textsOf("p95").notes).toEqual(
    expect.arrayContaining([
      "2 <after 3 min 20 s: pool *doubled*>",
      "2 <after 5.0 s to 1 min 0 s: GET /: ramp (ci)>",
    ]),
  );
});
