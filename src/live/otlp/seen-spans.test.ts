import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SeenSpans, SpanIds } from "./seen-spans.ts";

const word = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 0xffff_ffff }));

test("a set of ids holds what was added, however many", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word), { maxLength: 3000 }),
      fc.tuple(word, word),
      (all, other) => {
        const ids = new SpanIds();
        for (const [high, low] of all) ids.add(high, low);
        const want = new Set(all.map(([high, low]) => `${high} ${low}`));
        want.delete("0 0");
        expect(ids.count).toBe(want.size);
        for (const [high, low] of [...all, other]) {
          expect(ids.has(high, low)).toBe(want.has(`${high} ${low}`));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("at least the last 250,000 spans are known, and not many more", () => {
  const seen = new SeenSpans();
  for (let body = 0; body < 300; body++) {
    const ids = new SpanIds();
    for (let span = 1; span <= 5000; span++) ids.add(body + 1, span);
    seen.add(ids);
  }
  expect(seen.has(300, 5000)).toBe(true);
  expect(seen.has(251, 1)).toBe(true);
  expect(seen.has(1, 1)).toBe(false);
});

const elapsedMs = (highOf: (low: number) => number): number => {
  const ids = new SpanIds();
  const startedAtMs = performance.now();
  for (let low = 1; low <= 30_000; low++) ids.add(highOf(low) >>> 0, low);
  expect(ids.count).toBe(30_000);
  return performance.now() - startedAtMs;
};

test("ids that a sender chose to belong in one place take no longer than others", () => {
  const MIX = 0x9e3779b1;
  const usualMs = elapsedMs((low) => Math.imul(low, 0x85ebca6b));
  expect(elapsedMs((low) => Math.imul(low, MIX))).toBeLessThan(10 * usualMs + 200);
});
