import { expect, test } from "vitest";
import type { OverallFigures } from "../../api/figures.ts";
import {
  incidentMarkdown,
  measuresOf,
  partText,
  stretchBefore,
  stretchIn,
  stretchOfFinding,
  usersIn,
  usersText,
} from "./incident.ts";

const WHOLE = { from: 1000, until: 3000 };

test("a step lasts until it recovers or for five minutes; a burst ends with its last second", () => {
  const step = { kind: "step", at: 1500, p95Before: 1, p95After: 2, endpoints: [] } as const;
  expect(stretchOfFinding({ ...step, backAt: 1600 })).toEqual({ from: 1500, until: 1600 });
  expect(stretchOfFinding(step)).toEqual({ from: 1500, until: 1800 });
  const burst = { kind: "burst", from: 1500, until: 1534, errCount: 9, allErrCount: 9 } as const;
  expect(stretchOfFinding({ ...burst, endpoints: [] })).toEqual({ from: 1500, until: 1535 });
});

test.each([
  [
    { from: 1500, until: 1510 },
    { from: 1440, until: 1500 },
  ],
  [
    { from: 1500, until: 1620 },
    { from: 1380, until: 1500 },
  ],
  [
    { from: 1500, until: 2900 },
    { from: 1200, until: 1500 },
  ],
  [
    { from: 1020, until: 1100 },
    { from: 1000, until: 1020 },
  ],
  [{ from: 1000, until: 1100 }, undefined],
])("%j is compared with %j", (stretch, before) => {
  expect(stretchBefore(stretch, WHOLE)).toEqual(before);
});

test("the baseline range has the same offset from its start", () => {
  expect(stretchIn({ from: 1500, until: 1540 }, WHOLE, 90_000)).toEqual({
    from: 90_500,
    until: 90_540,
  });
});

function part(figures: Partial<OverallFigures>, seconds = 10) {
  const none = { count: 100, errRate: 0, avgLoadTime: 0.1, p50: 0.1, p95: 0.2, p99: 0.3 };
  return { figures: { ...none, ...figures } as OverallFigures, seconds };
}

test("measures state their change and which of them changed by a fifth", () => {
  const during = part({ count: 110, errRate: 0.5, p95: 0.25, p99: null });
  const measures = measuresOf(part({ count: 600 }, 60), during, part({ errRate: 0.01 }));
  expect(measures.map((each) => Object.values(each).slice(0, 5).join(" "))).toEqual([
    "requests/s 10 11 10 +10 %",
    "failed 0 50 % 1.0 % from 0",
    "average 100 ms 100 ms 100 ms 0 %",
    "p50 100 ms 100 ms 100 ms 0 %",
    "p95 200 ms 250 ms 200 ms +25 %",
    "p99 300 ms – 300 ms –",
  ]);
  expect(measures.filter(({ hasMoved }) => hasMoved).map(({ name }) => name)).toEqual([
    "failed",
    "p95",
  ]);
});

test("where nothing was measured before, nothing changed", () => {
  for (const before of [undefined, part({ count: 0 })]) {
    const [rate] = measuresOf(before, part({}), undefined);
    expect(rate).toMatchObject({ before: "–", during: "10", change: "–", hasMoved: false });
  }
});

test("users are those just before, and the most within", () => {
  const users = [
    [1000, 50],
    [1400, 100],
    [1510, 120],
    [1600, 900],
  ] as const;
  const known = usersIn(users, { from: 1500, until: 1540 });
  expect(usersText(known)).toBe("100 users before, up to 120");
  expect(usersText(usersIn(users, { from: 1410, until: 1500 }))).toBe("100 users");
  expect(usersText(usersIn([], { from: 1410, until: 1500 }))).toBe("");
});

const ALL = { id: "run", filter: "", hashes: [], from: undefined, until: undefined };

test.each([
  [ALL, [], ""],
  [{ ...ALL, filter: "/cart" }, [], 'endpoints that contain "/cart"'],
  [{ ...ALL, filter: "/cart", hashes: ["0"] }, ["GET /cart"], ""],
  [{ ...ALL, hashes: ["0", "1"] }, [], "2 selected endpoints"],
  [{ ...ALL, where: "region:eu", by: "host" }, ["GET /cart"], "region eu"],
])("of the scope %j with the endpoints %j the figures are of: %s", (scope, endpoints, text) => {
  expect(partText(scope, endpoints)).toBe(text);
});

test("the incident as Markdown escapes all recorded text", () => {
  const text = incidentMarkdown({
    name: "nightly | *",
    address: "https://host/t/a?incident=1500-1540",
    when: "14:00:00 to 14:00:39",
    endpoints: ["GET /a|b"],
    part: "region e|u",
    kinds: [{ code: "503", message: "`no`", count: 1234 }],
    users: { before: 5, most: 5 },
    measures: measuresOf(undefined, part({}), undefined).slice(0, 1),
    baseline: undefined,
    causes: ["4 s after deploy: checkout 2.18.0"],
    moved: ["cpu: 20 % to 96 % (+380 %)"],
    notes: ["14:24:08 deployed | `1.4`"],
  });
  expect(text).toBe(
    [
      "## `nightly \\| *`, 14:00:00 to 14:00:39",
      "",
      "- Endpoints: `GET /a\\|b`",
      "- Only: `region e\\|u`",
      "- Failures: 1,234 × `` 503 `no` ``",
      "- Load: 5 users",
      "- May explain it: `4 s after deploy: checkout 2.18.0`",
      "- Moved together: `cpu: 20 % to 96 % (+380 %)`",
      "- Events: `` 14:24:08 deployed \\| `1.4` ``",
      "",
      "|  | before | during | change |",
      "| --- | --- | --- | --- |",
      "| requests/s | – | 10 | – |",
      "",
      "https://host/t/a?incident=1500-1540",
      "",
    ].join("\n"),
  );
});
