import { afterAll, expect, test } from "vitest";
import { type LabelledSample, sample } from "../../test/support/batches.ts";
import { createTestServer } from "../../test/support/test-server.ts";

/** 300 s of 10 requests, a tenth of which is slow; twice as slow from second 150 to 250 on. */
const samples = Array.from({ length: 3000 }, (_, index): LabelledSample => {
  const second = Math.floor(index / 10);
  const usual = index % 10 === 0 ? 100_000 : 20_000 + (index % 7) * 1000;
  const micros = second >= 150 && second < 250 ? usual * 3 : usual;
  return { ...sample("a", 1_700_000_000 + second, micros), failed: second === 200 };
});

const world = await createTestServer({ samples });
afterAll(() => world.server.close());

test("findings use the units of the other operations", async () => {
  const answer = await world.ask("/Api/LoadTests/run/Findings");
  const endpoints = [{ hash: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8", label: "a" }];
  const step = {
    kind: "step",
    at: 1_700_000_150,
    p95Before: expect.closeTo(0.1, 3),
    p95After: expect.closeTo(0.3, 2),
    backAt: 1_700_000_250,
    endpoints,
  };
  const [from, until] = [1_700_000_200, 1_700_000_200];
  const burst = { kind: "burst", from, until, errCount: 10, allErrCount: 10, endpoints };
  expect(answer.json()).toEqual([
    {
      kind: "incident",
      from: 1_700_000_150,
      until: 1_700_000_249,
      findings: [step, burst],
      causes: [],
    },
  ]);
});
