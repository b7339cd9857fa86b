import { expect, test } from "vitest";
import { batchGroup } from "../../../../test/support/batch-groups.ts";
import type { StoredLoadTest } from "../catalogue/attributes.ts";
import {
  type BatchGroup,
  type SourceEvent,
  sourceNumber,
  sourcesOf,
} from "../catalogue/sources.ts";
import { contentsDigest, inBatches, ofShardKey, revisionOf, visibleRows } from "./visible.ts";

const SHARD_KEY = { loadTestId: "run-1", incarnation: 2, shard: 0, testDay: 20_000 };
const STORED: StoredLoadTest = {
  shardKey: SHARD_KEY,
  loadTest: {
    id: "run-1",
    name: "",
    createdAtMs: 1,
    tags: [],
    pinned: false,
    finishedAtMs: undefined,
  },
  attributesText: "5",
  compaction: undefined,
  compacting: undefined,
  minutes: undefined,
};

/** Three batches of a live source. */
function group(sourceId: string, about: Partial<BatchGroup> = {}): BatchGroup {
  const { about: recorded, ...others } = about;
  return batchGroup(recorded ?? { sourceId }, { batches: 3, lastSequence: 2, ...others });
}

function gone(sourceId: string, wasVisible: boolean): SourceEvent {
  const about = { sourceId, generation: 0, isLive: wasVisible, wasVisible, storedAtMs: 2 } as const;
  return { event: "gone", number: sourceNumber(sourceId, 0), ...about };
}

const STAGED = { about: { sourceId: "s", generation: 0, isLive: false, format: undefined } };

test("rows are selected by the columns of the sorting key", () => {
  expect(ofShardKey(SHARD_KEY)).toBe(
    "load_test_id = 'run-1' AND incarnation = 2 AND test_day = toDate(20000)",
  );
});

test("batches are selected up to the last one, or individually if others may come between them", () => {
  const sources = sourcesOf(
    [
      group("a"),
      group("b"),
      group("c", { lastSequence: 9, sequences: [1, 4, 9] }),
      group("s", STAGED),
    ],
    [],
  );
  const [a, b, c] = ["a", "b", "c"].map((id) => sourceNumber(id, 0));
  expect(inBatches(visibleRows(sources))).toBe(
    `((source = ${c} AND sequence IN (1,4,9)) OR (source IN (${a},${b}) AND sequence <= 2))`,
  );
});

test("batches with unordered numbers are selected by the time they were stored", () => {
  const latest = { storedFromMs: 900, sequences: [77, 5] };
  const [a, b] = ["a", "b"].map((id) => sourceNumber(id, 0));
  const groups = [group("a", { latest }), group("b", { latest: { ...latest, sequences: [] } })];
  expect(inBatches(visibleRows(sourcesOf(groups, [])))).toBe(
    `((source = ${a} AND (stored_at_ms < 900 OR sequence IN (77,5))) OR ` +
      `(source = ${b} AND (stored_at_ms < 900 OR 0)))`,
  );
});

test("many sources of different lengths are selected with a lookup", () => {
  const groups = Array.from({ length: 51 }, (_, n) => group(`s${n}`, { lastSequence: n }));
  const condition = inBatches(visibleRows(sourcesOf(groups, [])));
  expect(condition).toMatch(/^\(\(sequence < transform\(source, \[toUInt64\(\d+\),/);
  expect(condition).toContain("toUInt64(51)], toUInt64(0)))");
});

test("a published file has the batches that it was published with", () => {
  const event: SourceEvent = {
    event: "published",
    sourceId: "f",
    generation: 0,
    name: "",
    format: "",
    digest: "",
    sizeBytes: 1,
    batches: 2,
    replaces: [],
    number: sourceNumber("f", 0),
    storedAtMs: 1,
  };
  expect(visibleRows(sourcesOf([group("f")], [event]))).toMatchObject([{ last: 1 }]);
});

test("every visible change gives a new revision; other changes do not", () => {
  const revision = (groups: BatchGroup[], events: SourceEvent[] = [], stored = STORED) =>
    revisionOf(stored, sourcesOf(groups, events));
  const before = revision([group("a")]);
  const others = [
    revision([]),
    revision([group("a", { batches: 4, mix: 7n })]),
    revision([group("a"), group("b")]),
    revision([group("a")], [gone("a", true)]),
    revision([group("a")], [], { ...STORED, attributesText: "6" }),
    revision([group("a")], [], { ...STORED, shardKey: { ...SHARD_KEY, incarnation: 3 } }),
  ];
  expect(new Set([before, ...others]).size).toBe(7);
  expect(revision([group("s", STAGED), group("a")], [gone("s", false)])).toBe(before);
});

function digest(groups: BatchGroup[], events: SourceEvent[] = []): string {
  return contentsDigest(sourcesOf(groups, events), STORED);
}

test("the contents digest does not depend on the history", () => {
  expect(digest([group("b"), group("a")])).toBe(digest([group("a"), group("b")]));
  expect(digest([group("a"), group("b")], [gone("b", true)])).toBe(digest([group("a")]));
  expect(digest([group("a")])).not.toBe(digest([group("a", { mix: 2n })]));
});
