import { expect, test } from "vitest";
import { batchOf, published, sample } from "../../test/support/batches.ts";
import { answersOf, copiedOf, copy } from "../../test/support/copying.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import type { CopyStep } from "./copy-load-test.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

const LABELS = 600;
/** A quarter of all rows. */
const batchRows = 300;

async function filled(): Promise<Store> {
  const labels = Array.from({ length: LABELS }, (_, number) => `label ${number}`);
  const samples = labels.flatMap((label) => [sample(label, 1), sample(label, 9)]);
  const store = await memoryStoreWith(batchOf(samples, { visibility: "staged", sourceId: "file" }));
  await store.points.publish(published("file"));
  return store;
}

async function expectWhole(from: Store, to: Store): Promise<void> {
  expect(copiedOf(await copy(from, to, { batchRows }))?.differences).toEqual([]);
  expect(await answersOf(to)).toEqual(await answersOf(from));
}

test.each<CopyStep["doing"]>(["copying", "comparing"])(
  "a copy interrupted while %s stops at the next endpoint and resumes when repeated",
  async (doing) => {
    const [from, to] = [await filled(), openMemoryStore()];
    const interruption = new AbortController();
    let steps = 0;
    const interrupted = copy(from, to, {
      interrupted: interruption.signal,
      batchRows,
      progress(step) {
        if (step.doing !== doing) return;
        steps += 1;
        interruption.abort("asked to end");
      },
    });
    await expect(interrupted).rejects.toBe("asked to end");
    expect(steps).toBe(1);
    await expectWhole(from, to);
  },
);

test("a signal is handled even if no store call ever waits", async () => {
  const [from, to] = [await filled(), openMemoryStore()];
  const interruption = new AbortController();
  setImmediate(() => interruption.abort("asked to end"));
  const interrupted = copy(from, to, { batchRows, interrupted: interruption.signal });
  await expect(interrupted).rejects.toBe("asked to end");
  await expectWhole(from, to);
});

test("nobody waits for what a store still does with a source that was published", async () => {
  const [from, to] = [await filled(), openMemoryStore()];
  const interruption = new AbortController();
  const publish: Store["points"]["publish"] = async (source) => {
    await to.points.publish(source);
    interruption.abort("asked to end");
    return new Promise(() => {});
  };
  const merging: Store = { ...to, points: { ...to.points, publish } };
  const interrupted = copy(from, merging, { batchRows, interrupted: interruption.signal });
  await expect(interrupted).rejects.toBe("asked to end");
  await expectWhole(from, to);
});

test("a copy that is interrupted before it begins does nothing", async () => {
  const [from, to] = [await filled(), openMemoryStore()];
  const interrupted = copy(from, to, { interrupted: AbortSignal.abort("asked to end") });
  await expect(interrupted).rejects.toBe("asked to end");
  expect(await to.points.sources("run")).toEqual([]);
});
