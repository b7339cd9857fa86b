import { expect, test } from "vitest";
import { FAULTS } from "../faults.ts";
import type { FaultResult } from "./fault.ts";
import { CLUSTER, KINDS, withResults } from "./report.ts";

test("each run is of one kind", () => {
  const ids = [...FAULTS.map(({ id }) => id), CLUSTER];
  expect(Object.values(KINDS).flat().toSorted()).toEqual(ids.toSorted());
});

test("a kind that was tried has a new row, and the others keep theirs", () => {
  const about = { title: "", figures: {}, tookSeconds: 1 };
  const results: readonly FaultResult[] = [
    { ...about, id: "C4", rounds: 40, outcome: "held" },
    { ...about, id: "C9", rounds: 1, outcome: "missing" },
    { ...about, id: "C10", rounds: 2, outcome: "failed" },
  ];
  const document = `Text

| fault     | runs | rounds | result | seed | commit |
| --------- | ---- | -----: | ------ | ---: | ------ |
| full disk | C9   |      9 | held   |    1 | abc    |
| power cut | C4   |      9 | held   |    1 | abc    |
| two processes | T34 | 5 | held   |    1 | abc    |

More
`;
  expect(withResults(document, results, { seed: 7, commit: "def" })).toBe(`Text

| fault | runs | rounds | result | seed | commit |
| --- | --- | --: | --- | --: | --- |
| power cut | C4 | 40 | held | 7 | def |
| full disk | C9, C10 | 3 | C9 not run, C10 failed | 7 | def |
| two processes | T34 | 5 | held   |    1 | abc    |

More
`);
  expect(() => withResults("Text", results, { seed: 7, commit: "def" })).toThrow("no table");
});
