import { expect, test } from "vitest";
import type { Capacity } from "../../api/figures.ts";
import { limitsOf } from "./capacity-panel.tsx";

const LEVELS = [
  { load: 1, reqPerSec: 8, p95: 0.1 },
  { load: 120, reqPerSec: 240.4, p95: 0.15 },
];
const BY_USERS: Capacity = { loadUnit: "users", isLoadVaried: true, levels: LEVELS, quality: [] };
const PEAK = {
  load: { value: 68.04, low: 64, high: 72.5 },
  reqPerSec: { value: 165.4, low: 161.5, high: 170 },
  law: { secondsOfOne: 0.125, reqPerSecMax: 170, coherency: 0.0002, sharpness: 1 },
};
const DOUBLED = { load: 34.21, p95Before: 0.14, p95After: 0.28 };

test.each<[string, Capacity, readonly string[]]>([
  ["no limit", BY_USERS, ["No limit seen up to 240/s and 120 users"]],
  [
    "a peak and doubled times",
    { ...BY_USERS, peak: PEAK, p95Doubled: DOUBLED },
    [
      "At most 165/s (162 to 170); 95 % of it from 68 users on (64 to 72.5)",
      "p95 doubled at 34.2 users, from 140 ms to 280 ms",
    ],
  ],
  [
    "doubled times without a peak",
    { ...BY_USERS, p95Doubled: DOUBLED },
    ["No peak seen up to 240/s and 120 users", "p95 doubled at 34.2 users, from 140 ms to 280 ms"],
  ],
  [
    "a load by rate",
    { ...BY_USERS, loadUnit: "rate" },
    ["No limit seen up to 240/s", "Active users are not recorded, so the peak is unknown"],
  ],
  [
    "a steady load",
    { ...BY_USERS, isLoadVaried: false },
    ["The load hardly varies: limits need a run that ramps up to twice its smallest load"],
  ],
  ["nothing", { ...BY_USERS, levels: [] }, ["No request has a known time"]],
])("the sentences of %s", (_, capacity, sentences) => {
  expect(limitsOf(capacity)).toEqual(sentences);
});
