import { statSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { batchOf, published, stored } from "../../../test/support/batches.ts";
import { densePoints } from "../../../test/support/dense-points.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openCompactedStore, type CompactedStore } from "../../../test/support/compacted-store.ts";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";
import type { PointBatch } from "../store.ts";
import { emptyLog } from "./file.ts";
import { giveBackPages, takeOutDead } from "./store.ts";

const ENDPOINTS = 100;
const labels = Array.from({ length: ENDPOINTS }, (_, index) => `label ${index}`);

function denseBatch(sequence: number, about: Partial<PointBatch> = {}): PointBatch {
  const firstSecond = 1_790_000_000 + sequence;
  const shape = { endpoints: ENDPOINTS, seconds: 1, requestsPerPoint: 14, firstSecond };
  return { ...batchOf([], { sequence, ...about }), labels, points: densePoints(shape, sequence) };
}

class Fixture {
  readonly directory = temporaryDirectory();
  nowMs = 5_000_000;
  readonly store: CompactedStore;
  /** Writes since the last reset. */
  writes = 0;

  constructor(runsCompacted = 5) {
    this.store = openCompactedStore(this.directory, { now: () => this.nowMs, runsCompacted });
    onTestFinished(() => this.store.close());
    const { queue } = this.store.file;
    const write = queue.write.bind(queue);
    queue.write = (run, bytes) => {
      this.writes += 1;
      return write(run, bytes);
    };
  }

  async append(from: number, until: number): Promise<void> {
    for (let sequence = from; sequence < until; sequence++) {
      await this.store.points.append(denseBatch(sequence));
    }
  }

  /** Removes blocks deleted more than two minutes ago. */
  async takeOut(): Promise<void> {
    this.nowMs += 121_000;
    this.writes = 0;
    await takeOutDead(this.store.file, this.store.snapshots, () => true);
  }

  sizeBytes(): number {
    emptyLog(this.store.file.writer);
    return statSync(path.join(this.directory, "store.db")).size;
  }

  count(table: string): unknown {
    return this.store.file.reader.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"];
  }
}

test("a deleted load test leaves no rows, and its space is freed in short writes", async () => {
  const fixture = new Fixture();
  const { store } = fixture;
  const empty = fixture.sizeBytes();
  await store.loadTests.create(loadTest());
  const blocks = 300;
  for (let sequence = 0; sequence < blocks; sequence++) {
    await store.points.append(denseBatch(sequence, { sourceId: "file", visibility: "staged" }));
  }
  await store.points.publish(published("file"));
  await store.loadTests.delete("run");
  const full = fixture.sizeBytes();
  await fixture.takeOut();
  expect(fixture.writes).toBeGreaterThanOrEqual(blocks / 256);
  for (const table of ["blocks", "segments", "endpoints"]) {
    expect(fixture.count(table)).toBe(0);
  }
  for (const table of ["sources", "batches", "removed_sources"])
    expect(fixture.count(table)).toBe(0);
  expect(fixture.sizeBytes()).toBe(full);
  fixture.writes = 0;
  await giveBackPages(store.file, () => true);
  expect(fixture.writes).toBeGreaterThanOrEqual((full - empty) / 4096 / 512 - 1);
  expect(fixture.sizeBytes()).toBeLessThan(empty + 20 * 4096);
});

test("pages of compacted blocks are reused", async () => {
  const fixture = new Fixture();
  const { store } = fixture;
  await store.loadTests.create(loadTest());
  const sizes: number[] = [];
  for (let round = 0; round < 6; round++) {
    await fixture.append(20 * round, 20 * round + 20);
    await store.compact();
    await fixture.takeOut();
    sizes.push(fixture.sizeBytes());
  }
  const pointBytes = 15;
  const growthMost = 4 * 20 * ENDPOINTS * pointBytes;
  expect((sizes.at(-1) ?? 0) - (sizes[1] ?? 0)).toBeLessThan(growthMost * 2);
  await giveBackPages(store.file, () => true);
  const dense = 120 * ENDPOINTS * pointBytes;
  expect(fixture.sizeBytes()).toBeLessThan(dense + 64 * 4096);
  expect((await stored(store as never))[0]?.[1].second).toHaveLength(120);
});

test("the batches of a removed source are deleted in steps", async () => {
  const fixture = new Fixture();
  const { store } = fixture;
  await store.loadTests.create(loadTest());
  await fixture.append(0, 1);
  await store.file.queue.write(() =>
    store.file.writer.exec(
      `WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 12000)
       INSERT INTO batches (source, sequence, digest) SELECT (SELECT number FROM sources), value, x'00' FROM n`,
    ),
  );
  // A withdrawn live source keeps the record of its batches.
  await store.points.withdraw("run", "sender");
  expect(fixture.count("batches")).toBe(12_002);
  await store.loadTests.delete("run");
  await store.loadTests.create(loadTest());
  expect(fixture.count("batches")).toBe(12_002);
  await store.points.append(denseBatch(7));
  await fixture.takeOut();
  expect(fixture.count("batches")).toBe(1);
  expect(fixture.writes).toBe(1 + 3);
  expect(await store.points.append(denseBatch(0))).toMatchObject({ duplicate: false });
});

test("work that is cancelled ends after the current write", async () => {
  const fixture = new Fixture(Infinity);
  const { store } = fixture;
  await store.loadTests.create(loadTest());
  await fixture.append(0, 300);
  await store.loadTests.delete("run");
  fixture.nowMs += 121_000;
  let left = 1;
  await takeOutDead(store.file, store.snapshots, () => left-- > 0);
  expect(fixture.count("blocks")).toBe(300 - 256);
});
