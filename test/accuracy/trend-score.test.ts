import { expect, test } from "vitest";
import type { GeneratedHistory, HistoryFigure } from "./generated-histories.ts";
import { scoreOf } from "./trend-score.ts";

const VALUES = Array.from({ length: 60 }, (_, at) => at);

function score(about: Partial<GeneratedHistory>, told: number[], figure: HistoryFigure = "p95") {
  const history = {
    kind: "no change",
    recording: "",
    loadTests: 60,
    steps: [],
    drift: 1,
    series: [],
    ...about,
  } satisfies GeneratedHistory;
  return scoreOf(history, { endpoint: "(all)", figure, values: VALUES }, told);
}

const STEPS = { steps: [20, 40].map((at) => ({ at, factor: 1.1 })) };

test.each([
  ["nothing, rightly", score({}, []), [0, 0, 0]],
  ["a change of none", score({}, [30]), [0, 0, 1]],
  ["both steps, one of them five late", score(STEPS, [20, 45]), [2, 2, 0]],
  ["one step six late", score(STEPS, [26]), [2, 0, 1]],
  ["one step twice", score(STEPS, [19, 21]), [2, 1, 1]],
  ["a change of requests, whose times have changed", score(STEPS, [20], "count"), [0, 0, 1]],
  ["a drift as two changes", score({ drift: 1.2 }, [20, 40]), [1, 1, 0]],
  ["a drift the wrong way", score({ drift: 1 / 1.2 }, [20]), [1, 0, 1]],
  ["a drift not at all", score({ drift: 1.2 }, []), [1, 0, 0]],
])("telling %s is scored", (_, { changes, found, falseAlarms }, expected) => {
  expect([changes, found, falseAlarms]).toEqual(expected);
});
