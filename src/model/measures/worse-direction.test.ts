import { expect, test } from "vitest";
import { type WorseDirection, worseDirection } from "./worse-direction.ts";

const NAMES: readonly (readonly [name: string, worse: WorseDirection])[] = [
  ["replicas_unavailable", "higher"],
  ["unsuccessful_logins", "higher"],
  ["completed_errors", "higher"],
  ["cache_hit_latency", "higher"],
  ["cpu.usage_user", "higher"],
  ["heapUsed", "higher"],
  ["kbmemused", "higher"],
  ["memory_available", "lower"],
  ["mem.unused", "lower"],
  ["kbmemfree", "lower"],
  ["keyspace_hits", "lower"],
  ["cacheHitRatio", "lower"],
  ["permissions", "either"],
  ["submissions", "either"],
  ["rooms", "either"],
  ["https_requests", "either"],
  ["feature_flags", "either"],
  ["connections_reused", "either"],
  ["members", "either"],
  ["titles", "either"],
  ["architecture", "either"],
];

test.each(NAMES)("of %s, worse is %s", (name, worse) => {
  expect(worseDirection({ name, unit: "", kind: "gauge" })).toBe(worse);
});
