import { expect, test } from "vitest";
import { COMPLETE } from "../../test/support/batches.ts";
import { digestOf } from "../../test/support/sources.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { ImportTarget } from "./ensure-load-test.ts";
import { findStoredState, followedSourceId, sequenceAt, storedStates } from "./stored-states.ts";
import type { LiveSource, PublishedSource } from "../store/snapshot.ts";

const HEX = "ab".repeat(16);

function targetWith(
  live: readonly LiveSource[],
  published: readonly PublishedSource[] = [],
): ImportTarget {
  const { loadTests, points } = openMemoryStore();
  const liveSources = async () => live;
  const sources = async () => published;
  return { loadTests, points: { ...points, liveSources, sources } };
}

function publishedOf(bytes: string): PublishedSource {
  return {
    loadTestId: "run",
    sourceId: `import of ${bytes}`,
    name: "a.jtl",
    format: "jmeter-csv",
    sizeBytes: bytes.length,
    digest: digestOf(Buffer.from(bytes)),
    quality: COMPLETE,
  };
}

function followedOf(bytes: string): string {
  const digest = digestOf(Buffer.from(bytes));
  return followedSourceId({ format: "k6-csv", sizeBytes: bytes.length, digest }, "01234567");
}

/** Returns `text` in small chunks and records the requested ends. */
function reading(text: string) {
  const asked: number[] = [];
  async function* chunks(until: number) {
    asked.push(until);
    for (let at = 0; at < Math.min(until, text.length); at += 3) {
      yield Buffer.from(text.slice(at, Math.min(at + 3, until)));
    }
  }
  return { asked, chunks };
}

test.each([
  [0, "flushed", 0],
  [7, "flushed", 14],
  [7, "ended", 15],
  [8, "flushed", 16],
] as const)("the batch up to byte %d, %s, has number %d", (position, kind, sequence) => {
  expect(sequenceAt(position, kind)).toBe(sequence);
});

test.each([
  [14, 7, false],
  [15, 7, true],
  [16, 8, false],
])("the last batch %d means position %d, file ended: %s", async (...expected) => {
  const [lastSequence, position, isEnded] = expected;
  const sourceId = `follow-k6-csv-5-gmac.${HEX}-01234567`;
  expect(await storedStates(targetWith([{ sourceId, lastSequence }]), "run")).toEqual([
    {
      beginning: { sizeBytes: 5, digest: `gmac:${HEX}` },
      sourceId,
      format: "k6-csv",
      position,
      lastSequence,
      isEnded,
    },
  ]);
});

test("an imported file is stored to its end", async () => {
  const source = publishedOf("hello");
  expect(await storedStates(targetWith([], [source]), "run")).toEqual([
    {
      beginning: { sizeBytes: 5, digest: source.digest },
      published: source,
      sourceId: "import of hello",
      format: "jmeter-csv",
      position: 5,
      lastSequence: undefined,
      isEnded: true,
    },
  ]);
});

test.each([
  "sender",
  `follow-k6-csv-5-gmac.${HEX}`,
  `follow-k6-csv-5-gmac.${HEX.slice(1)}-01234567`,
  `x-follow-k6-csv-5-gmac.${HEX}-01234567`,
  `follow-k6-csv-5-gmac.${HEX}-01234567-x`,
])("source %s is not a followed file", async (sourceId) => {
  expect(await storedStates(targetWith([{ sourceId, lastSequence: 4 }]), "run")).toEqual([]);
});

test("the file is not read if nothing is stored", async () => {
  const { asked, chunks } = reading("hello");
  expect(await findStoredState(targetWith([]), "run", chunks)).toBeUndefined();
  expect(asked).toEqual([]);
});

test.each([
  ["the longer one last", ["hello", "hello, world"]],
  ["the longer one first", ["hello, world", "hello"]],
])("the furthest of several states is chosen: %s", async (_, contents) => {
  const { asked, chunks } = reading("hello, world, again");
  const target = targetWith(
    [{ sourceId: followedOf("hello"), lastSequence: 20 }],
    [...contents, "other bytes, longer than that"].map((content) => publishedOf(content)),
  );
  expect(await findStoredState(target, "run", chunks)).toMatchObject({
    sourceId: "import of hello, world",
    position: 12,
  });
  expect(asked).toEqual([29]);
});

test("a followed file is recognised by its beginning", async () => {
  const target = targetWith([{ sourceId: followedOf("hello"), lastSequence: 20 }]);
  const found = await findStoredState(target, "run", reading("hello, world").chunks);
  expect(found).toMatchObject({ sourceId: followedOf("hello"), position: 10 });
  const other = await findStoredState(target, "run", reading("Hello, world").chunks);
  expect(other).toBeUndefined();
});
