import { expect, onTestFinished, test } from "vitest";
import type { HousekeepingLog } from "../../../src/store/store.ts";
import { QuietCompactor } from "../../../src/store/clickhouse/compaction/quiet-compactor.ts";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { openClickHouseStore } from "../../../src/store/clickhouse/store.ts";
import { batchOf, pointWith } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { makeDatabase } from "../stores/fresh-database.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";

const MINUTE_MS = 60_000;

/** Load tests without new data are compacted automatically. */
export function keepsHouse(kind: Kind): void {
  const servers = serversForTests(kind);

  test("a load test is sealed 10 minutes after its last batch, or soon after it is finished", async () => {
    const opened = await openedWith(servers(), ["slow", "finished", "small"]);
    const { loadTests, points } = opened.store;
    const { look, events } = compactorOf(opened);
    await look();
    expect(events).toEqual([]);
    await loadTests.update("finished", { finishedAtMs: 5 });
    opened.pass(2 * MINUTE_MS);
    await look();
    expect(events).toEqual(["load_test_sealed finished"]);
    await points.append(largeBatch("finished", 1));
    opened.pass(9 * MINUTE_MS);
    await look();
    expect(events.splice(1).toSorted()).toEqual([
      "load_test_sealed finished",
      "load_test_sealed slow",
    ]);
    opened.pass(60 * MINUTE_MS);
    await look();
    expect(events.splice(1)).toEqual([]);
  });

  test("what a process left behind is sealed by the next one", async () => {
    const opened = await openedWith(servers(), ["left"]);
    opened.parts.touched.clear();
    opened.pass(11 * MINUTE_MS);
    const { look, compactor, events } = compactorOf(opened);
    await look();
    expect(events).toEqual([]);
    await compactor.noteAll("all");
    await look();
    expect(events).toEqual(["load_test_sealed left"]);
  });

  test("a store that keeps house closes at once", async () => {
    const database = await makeDatabase(servers());
    onTestFinished(() => database.drop());
    const housekeeping: HousekeepingLog = { done: () => undefined, failed: () => undefined };
    const store = await openClickHouseStore(database.settings, { now: Date.now, housekeeping });
    const startedAtMs = performance.now();
    await store.close();
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
  });
}

async function openedWith(
  servers: Parameters<typeof partsForTest>[0],
  loadTestIds: readonly string[],
): Promise<PartsForTest> {
  const opened = await partsForTest(servers);
  for (const id of loadTestIds) {
    await opened.store.loadTests.create(loadTest(id));
    const requests = id === "small" ? 9999 : 10_000;
    await opened.store.points.append(largeBatch(id, 0, requests));
  }
  return opened;
}

function largeBatch(loadTestId: string, sequence: number, requests = 10_000) {
  const points = pointWith({ requests, elapsedMicros: requests });
  return { ...batchOf([], { loadTestId, sequence }), labels: ["a"], points };
}

function compactorOf({ parts }: PartsForTest) {
  const events: string[] = [];
  const log: HousekeepingLog = {
    done: (event, { loadTestId }) => void events.push(`${event} ${String(loadTestId)}`),
    failed: (event, error) => void events.push(`${event} ${String(error)}`),
  };
  const compactor = new QuietCompactor(parts, new Compactor(parts), log);
  const { signal } = new AbortController();
  return { compactor, events, look: () => compactor.look(signal) };
}
