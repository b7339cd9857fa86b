import { expect, test } from "vitest";
import { batchGroup } from "../../../../test/support/batch-groups.ts";
import {
  type BatchGroup,
  currentSource,
  type GoneEvent,
  hiddenTwins,
  type PublishedEvent,
  type SourceEvent,
  sourceNumber,
  sourcesOf,
} from "./sources.ts";

const FILE = { name: "a.jtl", format: "jmeter-csv", sizeBytes: 10, digest: "gmac:00" };

function group(sourceId: string, isLive: boolean, generation = 0): BatchGroup {
  return batchGroup({ sourceId, isLive, generation });
}

function published(
  sourceId: string,
  about: Partial<PublishedEvent> = {},
  storedAtMs = 1,
): SourceEvent {
  const { generation = 0 } = about;
  const number = sourceNumber(sourceId, generation);
  const event = {
    event: "published",
    ...FILE,
    sourceId,
    generation,
    batches: 1,
    replaces: [],
  } as const;
  return { ...event, ...about, number, storedAtMs };
}

function gone(sourceId: string, about: Partial<GoneEvent> = {}): SourceEvent {
  const { generation = 0 } = about;
  const number = sourceNumber(sourceId, generation);
  const event = { event: "gone", sourceId, generation, isLive: false, wasVisible: true } as const;
  return { ...event, ...about, number, storedAtMs: 2 };
}

function visible(groups: readonly BatchGroup[], events: readonly SourceEvent[]): string[] {
  return sourcesOf(groups, events).flatMap((source) => (source.isVisible ? source.sourceId : []));
}

test("live sources are visible at once, others once published, until they are gone", () => {
  const groups = [group("live", true), group("staged", false), group("file", false)];
  expect(visible(groups, [published("file")])).toEqual(["live", "file"]);
  expect(visible(groups, [published("file"), gone("file")])).toEqual(["live"]);
  expect(visible(groups, [published("file"), gone("live", { isLive: true })])).toEqual(["file"]);
});

test("a published file without batches is a source", () => {
  expect(visible([], [published("empty", { batches: 0 })])).toEqual(["empty"]);
});

test("a number identifies one source and one generation", () => {
  const numbers = ["a", "b", "1 a"].flatMap((id) => [sourceNumber(id, 0), sourceNumber(id, 1)]);
  expect(new Set(numbers).size).toBe(6);
  expect(sourceNumber("a", 0)).toBe(sourceNumber("a", 0));
});

test("a removed file gets a new generation; a withdrawn sender keeps its own", () => {
  const groups = [group("file", false), group("sender", true)];
  const sources = sourcesOf(groups, [gone("file"), gone("sender", { isLive: true })]);
  expect(currentSource(sources, "file")).toEqual({
    number: sourceNumber("file", 1),
    generation: 1,
  });
  expect(currentSource(sources, "sender")).toMatchObject({
    generation: 0,
    source: { isLive: true },
  });
  expect(currentSource(sources, "new")).toEqual({ number: sourceNumber("new", 0), generation: 0 });
  const again = sourcesOf([...groups, group("file", false, 1)], [gone("file")]);
  expect(currentSource(again, "file").source?.generation).toBe(1);
});

test("of files that replace the same file simultaneously, the one named in its gone event wins", () => {
  const short = String(sourceNumber("short", 0));
  const events = [
    published("short"),
    published("one", { digest: "1", replaces: [short] }),
    published("two", { digest: "2", replaces: [short] }),
    gone("short", { by: String(sourceNumber("two", 0)) }),
  ];
  const groups = [group("short", false), group("one", false), group("two", false)];
  expect(visible(groups, events)).toEqual(["two"]);
});

test("of the same bytes published twice, only the first source is visible", () => {
  const groups = [group("late", false), group("early", false), group("other", false)];
  const events = [
    published("late", {}, 9),
    published("early", {}, 8),
    published("other", { digest: "gmac:01" }, 9),
  ];
  expect(visible(groups, events).toSorted()).toEqual(["early", "other"]);
  const sameTime = [published("late", {}, 8), published("early", {}, 8)];
  expect(visible(groups, sameTime)).toHaveLength(1);
  expect(visible(groups, sameTime)).toEqual(visible(groups, sameTime.toReversed()));
});

test("a source hidden by its twin is removed together with it", () => {
  const groups = ["early", "late", "before", "other"].map((id) => group(id, false));
  const events = [
    published("early", {}, 8),
    published("late", {}, 9),
    published("before", {}, 1),
    gone("before"),
    published("other", { digest: "gmac:01" }, 9),
  ];
  const sources = sourcesOf(groups, events);
  const early = sources.find(({ sourceId }) => sourceId === "early");
  const twins = hiddenTwins(sources, early as NonNullable<typeof early>);
  expect(twins.map(({ sourceId }) => sourceId)).toEqual(["late"]);
  const going = ["early", ...twins.map(({ sourceId }) => sourceId)].map((id) => gone(id));
  expect(visible(groups, [...events, ...going])).toEqual(["other"]);
  // If only one goes, the other becomes visible.
  expect(visible(groups, [...events, gone("early")])).toEqual(["late", "other"]);
});
