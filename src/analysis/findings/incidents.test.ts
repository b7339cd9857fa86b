import { expect, test } from "vitest";
import type { Anomaly } from "../../api/findings.ts";
import { incidentsOf } from "./incidents.ts";

const [cart, pay] = ["cart", "pay"].map((label) => ({ label, hash: label }));
const NONE = { p95Before: 0.1, p95After: 0.4 };

function step(at: number, backAt: number | undefined, ...endpoints: readonly (typeof cart)[]) {
  const named = endpoints.filter((each) => each !== undefined);
  return { kind: "step", at, backAt, ...NONE, endpoints: named } as const;
}

function burst(from: number, until: number, ...endpoints: readonly (typeof cart)[]) {
  const named = endpoints.filter((each) => each !== undefined);
  return { kind: "burst", from, until, errCount: 9, allErrCount: 9, endpoints: named } as const;
}

const kinds = (anomalies: readonly Anomaly[]) =>
  incidentsOf(anomalies).map(({ from, until, findings }) => [
    from,
    until,
    ...findings.map(({ kind }) => kind),
  ]);

test("what overlaps or touches and shares endpoints is one incident, the longest first", () => {
  const drop = {
    kind: "drop",
    from: 1062,
    until: 1071,
    reqPerSecBefore: 9,
    reqPerSec: 1,
    users: 5,
  };
  const all = [burst(1040, 1057, pay), step(1000, 1060, cart, pay), drop as Anomaly];
  expect(kinds(all)).toEqual([[1000, 1072, "step", "burst", "drop"]]);
});

test("other endpoints, or a gap, make another incident", () => {
  expect(kinds([step(1000, 1060, cart), burst(1010, 1020, pay)])).toEqual([
    [1000, 1060, "step"],
    [1010, 1021, "burst"],
  ]);
  expect(kinds([step(1000, 1060), burst(1070, 1080)])).toHaveLength(2);
});

test("what begins long after a step that lasts is of its own", () => {
  expect(kinds([step(1000, undefined), burst(1299, 1310)])).toHaveLength(1);
  expect(kinds([step(1000, undefined), burst(1900, 1910)])).toHaveLength(2);
});

test("what concerns the whole run joins nothing, but a busy load generator is a symptom", () => {
  const whole = { from: 900, until: 2000 };
  const figures = { count: 9, errCount: 9, isAll: false, endpointCount: 1, endpoints: [] };
  const generator = { kind: "generator", ...whole, busy: [], droppedIterations: 9, iterations: 9 };
  const failing = { kind: "failing", ...whole, ...figures };
  expect(kinds([failing, step(1000, 1060), generator] as Anomaly[])).toEqual([
    [900, 2001, "failing"],
    [1000, 1060, "step", "generator"],
  ]);
  expect(kinds([generator as Anomaly])).toEqual([[900, 2001, "generator"]]);
});
