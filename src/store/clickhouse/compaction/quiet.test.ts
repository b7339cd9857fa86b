import { expect, test } from "vitest";
import { batchGroup } from "../../../../test/support/batch-groups.ts";
import { compactAtMs } from "./quiet-compactor.ts";
import type { StoredSource } from "../catalogue/sources.ts";

const MINUTE_MS = 60_000;
const STORED_AT_MS = 1_000_000;
const GROUP = batchGroup(
  { sourceId: "a" },
  { number: 7n, requests: 10_000, storedAtMs: STORED_AT_MS },
);
const LIVE: StoredSource = {
  ...GROUP.about,
  number: 7n,
  batches: GROUP,
  published: undefined,
  gone: undefined,
  isVisible: true,
};
const PUBLISHED = {
  event: "published",
  sourceId: "b",
  generation: 0,
  number: 8n,
  storedAtMs: STORED_AT_MS + MINUTE_MS,
  name: "b.jtl",
  format: "jmeter-csv",
  sizeBytes: 1,
  digest: "",
  batches: 3,
  replaces: [],
} as const;
const FILE: StoredSource = { ...LIVE, number: 8n, isLive: false, published: PUBLISHED };
const SMALL: StoredSource = { ...LIVE, batches: { ...GROUP, requests: 9999 } };
const HIDDEN: StoredSource = { ...FILE, isVisible: false };

test.each([
  { title: "without sources", sources: [] },
  { title: "with few requests", sources: [SMALL] },
  { title: "with few requests that are visible", sources: [SMALL, HIDDEN] },
])("a load test $title is not compacted", ({ sources }) => {
  expect(compactAtMs(loadTest(undefined), sources)).toBeUndefined();
});

test.each([
  { title: "a sender's, 10 minutes after its last batch", sources: [LIVE], minutes: 10 },
  { title: "a finished one, a minute after", sources: [LIVE], finishedAtMs: 5, minutes: 1 },
  { title: "a file, a minute after it was published", sources: [FILE], minutes: 2 },
  { title: "both, 10 minutes after the later one", sources: [LIVE, FILE], minutes: 11 },
])("$title", ({ sources, finishedAtMs, minutes }) => {
  expect(compactAtMs(loadTest(finishedAtMs), sources)).toBe(STORED_AT_MS + minutes * MINUTE_MS);
});

function loadTest(finishedAtMs: number | undefined) {
  const named = { id: "run", name: "Run", createdAtMs: 0, tags: [], pinned: false };
  return { loadTest: { ...named, finishedAtMs } };
}
