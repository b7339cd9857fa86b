import { expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import { OtlpMemories, type OtlpMemory } from "./memories.ts";
import { SeenSpans } from "./seen-spans.ts";
import { WaitingSpans } from "./waiting-spans.ts";
import { createOtlpWriter } from "./write-otlp.ts";

const MINUTE_MS = 60_000;

function memory(): OtlpMemory {
  const series = new CumulativeSeries(true);
  return {
    spans: new SeenSpans(),
    waiting: new WaitingSpans(),
    series,
    totals: undefined,
    facetValues: new Map(),
    isKept: true,
    hasStored: true,
    isIncomplete: false,
  };
}

/** An empty memory has room for 2 x 1,024 ids of 8 bytes. */
const EMPTY_BYTES = 16_384;

test("load tests that were written to last are remembered, in the bytes of all together", () => {
  const memories = new OtlpMemories({ bytesMax: 2.5 * EMPTY_BYTES });
  const [first, second, third] = [memory(), memory(), memory()];
  memories.keep("a", first, 0);
  memories.keep("b", second, 1);
  memories.keep("a", first, 2);
  memories.keep("project/c", third, 3);
  expect(["a", "b", "project/c"].map((key) => memories.find(key))).toEqual([
    first,
    undefined,
    third,
  ]);
  expect(["a", "b", "project/c"].map((key) => memories.hasDropped(key))).toEqual([
    false,
    true,
    false,
  ]);
});

test("load tests that are over are forgotten, which is no loss", () => {
  const memories = new OtlpMemories();
  memories.keep("over", memory(), 0);
  memories.keep("under way", memory(), 2 * MINUTE_MS);
  memories.keep("last", memory(), 16 * MINUTE_MS);
  expect([memories.find("over"), memories.hasDropped("over")]).toEqual([undefined, false]);
  expect(memories.find("under way")).toBeDefined();
});

/** `now` is the time of day. */
function spanWriter(bytesMax: number, now: () => number) {
  const store = openMemoryStore();
  const memories = new OtlpMemories({ bytesMax });
  const write = createOtlpWriter({ store, memories, project: undefined, now });
  const send = async (loadTestId: string, ...ids: readonly number[]): Promise<void> => {
    const spans = ids.map((id) => ({
      spanId: id.toString(16).padStart(16, "0"),
      name: "GET",
      kind: 3,
      startTimeUnixNano: "1795690923000000000",
      endTimeUnixNano: "1795690923500000000",
      status: { code: 2 },
      attributes: [{ key: "http.method", value: { stringValue: "GET" } }],
    }));
    const scopeSpans = [{ scope: { name: "locust" }, spans }];
    const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans }] }));
    await write({ target: { loadTestId }, signal: "traces", form: "json", body });
  };
  return { store, send };
}

test("spans that come again count once, though the clock was set ahead by an hour meanwhile", async () => {
  let nowMs = 0;
  const { store, send } = spanWriter(2 ** 20, () => nowMs);
  await send("a", 1, 2);
  nowMs += 60 * MINUTE_MS;
  await send("b", 1);
  await send("a", 1, 2, 3);
  expect(await store.loadTests.find("a")).toMatchObject({ requests: 3 });
});

test("spans of a load test whose earlier spans were forgotten are marked", async () => {
  const { store, send } = spanWriter(1, () => 0);
  const markedIn = async (loadTestId: string): Promise<unknown> => {
    const snapshot = await store.points.snapshot(loadTestId);
    const sources = (await snapshot?.sources()) ?? [];
    return sources.map(({ quality }) => quality?.repairedRows);
  };
  await send("a", 1, 2);
  await send("a", 1, 2, 3);
  expect(await markedIn("a")).toEqual([undefined]);
  await send("b", 1);
  await send("a", 1, 2, 3, 4);
  expect(await markedIn("a")).toEqual([{ "repeats-unknown": 4 }]);
});
