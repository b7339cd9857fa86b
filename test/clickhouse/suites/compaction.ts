import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { openMemoryStore } from "../../support/memory-store/memory-store.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { answersOf } from "../../support/answers-of-store.ts";
import { published } from "../../support/batches.ts";
import { batchOfSeed, schedules } from "../../support/compared-stores.ts";
import { loadTest } from "../../support/load-tests.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { type Interruption, interruptedParts } from "./interruptions.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";
import { CompactionSchedule } from "./compaction-schedule.ts";

/** Compacted copies change no answer, whenever and however they are made. */
export function sealsWithoutNotice(kind: Kind): void {
  const servers = serversForTests(kind);

  test("whatever happens around copies, answers are those of the store that has none", async () => {
    await fc.assert(
      fc.asyncProperty(schedules, async (steps) => {
        const schedule = await CompactionSchedule.begin(await partsForTest(servers()));
        for (const [at, { what, sourceId, seed }] of steps.entries()) {
          await schedule.take(what, batchOfSeed(sourceId, at, seed));
        }
        await schedule.end();
        for (const [found, wanted] of schedule.compared) expect(found).toEqual(wanted);
      }),
      { numRuns: 3 },
    );
  }, 180_000);

  test("answers come out of the copy: without the points they are the same", async () => {
    const opened = await partsForTest(servers());
    const oracle = await fill(opened);
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    expect(await new Compactor(opened.parts).compact("run")).toBe("is compacted");
    await remove(opened, "measurements", "kind = 'point'");
    expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
  });

  test("a copy that lacks a row is not read", async () => {
    const opened = await partsForTest(servers());
    const oracle = await fill(opened);
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    await remove(opened, "sealed_points", "second = 1790000001");
    // After a lost connection, what is known of a server is requested again.
    for (const node of opened.parts.cluster.everywhere.nodes) node.forget();
    expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
  });

  test("points that are not what their batches say are not copied", async () => {
    const opened = await partsForTest(servers());
    await fill(opened);
    await remove(opened, "measurements", "kind = 'point' AND second = 1790000001");
    await expect(new Compactor(opened.parts).compact("run")).rejects.toMatchObject({
      code: "damaged-store",
      message: expect.stringMatching(/its batches, their points .* differ in requests/) as string,
    });
  });

  test.each(["before", "after"] as const)(
    "an attempt that ends %s any of its calls leaves the answers as they were",
    async (when) => {
      const opened = await partsForTest(servers());
      const wanted = await answersOf(await fill(opened));
      let isInterrupted = true;
      for (let at = 0; isInterrupted; at++) {
        const outcome = await compactionInterrupted(opened, { at, when, happen: end });
        isInterrupted = outcome === "the end";
        // Until then other processes leave it to the one that has ended.
        opened.pass(11 * 60_000);
        expect(await answersOf(opened.store)).toEqual(wanted);
        expect(at).toBeLessThan(100);
      }
      expect(await new Compactor(opened.parts).compact("run")).toBe("is compacted");
    },
  );

  test("a batch that comes at any time meanwhile is in the next answer", async () => {
    const opened = await partsForTest(servers());
    const oracle = await fill(opened);
    const outcomes = new Set<string>();
    for (let at = 0; at < 16; at++) {
      const batch = batchOfSeed("sender 1", 100 + at, 20 + at);
      const happen = async (): Promise<void> => {
        await opened.store.points.append(batch);
      };
      outcomes.add(await compactionInterrupted(opened, { at, when: "before", happen }));
      await opened.store.points.append(batch);
      await oracle.points.append(batch);
      expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
    }
    expect(outcomes).toContain("changed");
  });

  test("what one process seals, another leaves to it, but not for ever", async () => {
    const opened = await partsForTest(servers());
    await fill(opened);
    const seen: unknown[] = [];
    const happen = async (): Promise<void> => {
      seen.push(await new Compactor(opened.parts).compact("run"));
      opened.pass(11 * 60_000);
      seen.push(await new Compactor(opened.parts).compact("run"));
    };
    // Between the copy and its publication.
    const late = { at: 9, when: "before", happen } as const;
    expect(await compactionInterrupted(opened, late)).toBe("compacted");
    expect(seen).toEqual(["elsewhere", "compacted"]);
  });
}

function end(): never {
  throw new Error("the end");
}

/** Some batches of two senders and a file, in the store and in the oracle. */
async function fill({ store }: PartsForTest): Promise<Store> {
  const oracle = openMemoryStore();
  for (const each of [store, oracle]) {
    await each.loadTests.create(loadTest());
    for (let seed = 1; seed < 12; seed++) {
      await each.points.append(batchOfSeed(`sender ${seed % 2}`, seed, seed));
    }
    const staged = { ...batchOfSeed("file", 0, 5), visibility: "staged" } satisfies PointBatch;
    await each.points.append(staged);
    await each.points.publish(published("file"));
  }
  return oracle;
}

async function compactionInterrupted(
  { parts }: PartsForTest,
  interruption: Interruption,
): Promise<string> {
  const compactor = new Compactor(interruptedParts(parts, interruption));
  return compactor.compact("run").catch((error: unknown) => (error as Error).message);
}

/** Removes rows behind the store's back. */
async function remove({ parts }: PartsForTest, table: string, condition: string): Promise<void> {
  const { database } = parts.cluster.settings;
  const sql = `ALTER TABLE ${database}.${table} DELETE WHERE ${condition}`;
  await Promise.all(parts.cluster.shards.map((shard) => shard.command(sql, { preference: 0 })));
  await untilRemoved({ parts });
}

/** Waits until all replicas know and have applied the deletions. */
export async function untilRemoved({ parts }: Pick<PartsForTest, "parts">): Promise<void> {
  const { database } = parts.cluster.settings;
  const sql = `SELECT count() AS a_known, countIf(is_done = 0) AS a_left FROM system.mutations
WHERE database = '${database}'`;
  for (const shard of parts.cluster.shards) {
    const isDone = async (): Promise<boolean> => {
      const answers = await shard.readEach(sql, { preference: 0 });
      const numbers = (name: string) =>
        answers.flatMap(({ blocks }) => blocks.flatMap((block) => [...block.numbers(name)]));
      return (
        new Set(numbers("a_known")).size === 1 && numbers("a_left").every((left) => left === 0)
      );
    };
    await expect.poll(isDone, { timeout: 30_000 }).toBe(true);
  }
}
