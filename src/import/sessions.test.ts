import * as fc from "fast-check";
import { expect, test } from "vitest";
import { noteOnSessions, Sessions } from "./sessions.ts";

const START = 1_790_000_000;

function sessionsOf(seconds: readonly number[], gapSeconds = 1800): Sessions {
  const sessions = new Sessions(gapSeconds);
  for (const second of seconds) sessions.add(second);
  return sessions;
}

test("a gap of the given length separates two sessions; a shorter one does not", () => {
  expect(sessionsOf([START, START + 5, START + 1804]).found).toHaveLength(1);
  expect(sessionsOf([START, START + 5, START + 1805]).found).toEqual([
    { from: START, until: START + 5 },
    { from: START + 1805, until: START + 1805 },
  ]);
});

test("seconds may come in any order", () => {
  const seconds = fc.array(fc.nat(200), { minLength: 1 });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 2, max: 20 }), (given, gap) => {
      const ascending = given.toSorted((a, b) => a - b);
      const begins = ascending.filter((second, at) => second - (ascending[at - 1] ?? -gap) >= gap);
      const found = sessionsOf(given, gap).found ?? [];
      expect(found.map(({ from }) => from)).toEqual(begins);
      expect(found.at(-1)?.until).toBe(ascending.at(-1));
    }),
  );
});

test("timestamps with thousands of gaps are not sessions", () => {
  const seconds = Array.from({ length: 10_001 }, (_, at) => START + 1800 * at);
  const sessions = sessionsOf(seconds);
  expect(sessions.found).toBeUndefined();
  expect(noteOnSessions(sessions)).toEqual([]);
});

test("the note states the longest gap", () => {
  expect(noteOnSessions(sessionsOf([START]))).toEqual([]);
  // 260 h 6 min 40 s after 2026-09-21T14:13:20Z, then 2 h.
  const seconds = [START, START + 936_400, START + 943_600];
  expect(noteOnSessions(sessionsOf(seconds, 3600))).toEqual([
    "the source holds 3 sessions: no request started for 260 h after 2026-09-21T14:13:20Z; " +
      "import it with --split-gap 1h to make a load test of each",
  ]);
});
