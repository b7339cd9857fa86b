import { expect, test } from "vitest";
import type { TrendChange } from "../api/trend.ts";
import { inWords } from "../format/changes.ts";
import { changesText, mayBeOutlier, quantityOf, sizeOf, wordsOf } from "./change-words.ts";

function changed(about: Partial<TrendChange>): TrendChange {
  return {
    loadTestId: "a",
    figure: "p95",
    loadTestsBefore: 5,
    loadTestsAfter: 3,
    before: 0.1,
    after: 0.12,
    chance: 0.001,
    ...about,
  };
}

test.each<[Partial<TrendChange>, words: string, kind: string, size: string]>([
  [{ change: 0.2 }, "▲ slower", "slower", "+20 %"],
  [{ after: 0.05, change: -0.5 }, "▼ faster", "faster", "−50 %"],
  [{ figure: "avgLoadTime", before: 0, after: 0.1 }, "▲ slower", "slower", "from 0"],
  [{ figure: "count", before: 600, after: 900, change: 0.5 }, "+ more", "neutral", "+50 %"],
  [{ figure: "count", before: 900, after: 600, change: -0.33 }, "− fewer", "neutral", "−33 %"],
  [
    { figure: "errRate", before: 0, after: 0.02, change: 0.02 },
    "! fails more",
    "failing",
    "from 0",
  ],
  [
    { figure: "errRate", before: 0.04, after: 0.01, change: -0.03 },
    "▼ fails less",
    "faster",
    "−75 %",
  ],
])("%j is %s", (about, words, kind, size) => {
  const said = wordsOf(changed(about));
  expect(`${said.sign} ${said.words}`).toBe(words);
  expect(said.kind).toBe(kind);
  expect(inWords(sizeOf(changed(about)))).toBe(size);
});

test.each([
  ["p99", 1.2, "1.20 s"],
  ["count", 1234.4, "1,234"],
  ["errRate", 0.025, "2.5 %"],
] as const)("a %s of %d is %s", (figure, value, text) => {
  expect(inWords(quantityOf(figure, value))).toBe(text);
});

test("changes of several endpoints have words of their own where the first one's do not fit", () => {
  const times = (label: string) => changed({ label, change: 0.2 });
  const failed = changed({ label: "/cart", figure: "errRate", before: 0.01, after: 0.03 });
  expect(changesText([times("/a"), times("/b")])).toBe("/a +20 %, /b +20 %");
  expect(changesText([failed, times("/a")])).toBe("/cart ×3, /a slower +20 %");
  expect(changesText([changed({ change: 0.2 }), failed])).toBe(
    "all endpoints +20 %, /cart fails more ×3",
  );
});

test("a level of less than three load tests may be that of outliers", () => {
  const levels = [1, 2, 3].map((loadTestsAfter) => mayBeOutlier(changed({ loadTestsAfter })));
  expect(levels).toEqual([true, true, false]);
});
