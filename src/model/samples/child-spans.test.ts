import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ChildSpan, childrenOf, longestSpans } from "./child-spans.ts";
import { sampleOf } from "./request-sample.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const REST = { traceId: TRACE, parentId: "", service: "shop", operation: "read" };

/** Few ids and times, so that they repeat. */
const anySpan = fc.record({
  traceId: fc.constantFrom("t1", "t2"),
  spanId: fc.nat(25).map(String),
  parentId: fc.constantFrom("", "1"),
  service: fc.constant("shop"),
  operation: fc.constantFrom("read", "write"),
  elapsedMicros: fc.nat(8),
});

test("the ten longest spans of a trace are the same in any order and from any parts", () => {
  fc.assert(
    fc.property(
      fc.array(anySpan, { maxLength: 80 }),
      fc.array(fc.nat(3), { minLength: 80, maxLength: 80 }),
      (spans, parts) => {
        const all = longestSpans(spans);
        const chosen = [2, 0, 3, 1].flatMap((part) => {
          const own = spans.filter((_, at) => parts[at] === part).toReversed();
          return [...longestSpans(own).values()].flat();
        });
        expect(Object.fromEntries(longestSpans(chosen))).toEqual(Object.fromEntries(all));
        for (const [trace, kept] of all) {
          // Each span once, with its longest time.
          const longest = new Map<string, number>();
          for (const { traceId, spanId, elapsedMicros } of spans) {
            if (traceId !== trace) continue;
            longest.set(spanId, Math.max(longest.get(spanId) ?? 0, elapsedMicros));
          }
          const times = [...longest.values()].toSorted((one, other) => other - one).slice(0, 10);
          expect(kept.map(({ elapsedMicros }) => elapsedMicros)).toEqual(times);
        }
      },
    ),
  );
});

const below = (spanId: string, parentId: string, elapsedMicros: number): ChildSpan => ({
  ...REST,
  spanId,
  parentId,
  elapsedMicros,
});

test("of a trace with several requests, a request has the spans below its own", () => {
  const spans = [
    below("server-1", "client-1", 90),
    below("db-1", "server-1", 50),
    below("server-2", "client-2", 80),
    // A circle, as damaged ids may be.
    below("x", "y", 70),
    below("y", "x", 70),
  ];
  const idsOf = (spanId: string | undefined): readonly string[] => {
    const details = { timeMs: 1, elapsedMicros: 100, traceId: TRACE.toUpperCase(), spanId };
    const sample = { label: "a", ...sampleOf(details, (text) => text) };
    return childrenOf(sample, longestSpans(spans), false).map((span) => span.spanId);
  };
  expect(idsOf("client-1")).toEqual(["server-1", "db-1"]);
  expect(idsOf("client-2")).toEqual(["server-2"]);
  expect(idsOf("client-3")).toEqual([]);
  expect(idsOf(undefined)).toHaveLength(5);
});

test("spans below one that nobody sent are part of the only request of their trace, unless they take longer", () => {
  const spans = [
    below("other", "", 400),
    below("too long", "proxy", 300),
    below("server", "proxy", 90),
    below("db", "server", 50),
    below("cache", "client", 40),
  ];
  const details = { timeMs: 1, elapsedMicros: 100, traceId: TRACE, spanId: "client" };
  const sample = { label: "a", ...sampleOf(details, (text) => text) };
  const idsOf = (isOnly: boolean): readonly string[] =>
    childrenOf(sample, longestSpans(spans), isOnly).map(({ spanId }) => spanId);
  expect(idsOf(true)).toEqual(["server", "db", "cache"]);
  expect(idsOf(false)).toEqual(["cache"]);
});
