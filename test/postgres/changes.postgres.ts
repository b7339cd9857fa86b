import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { batchOf, requestsByLabel, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { startServer } from "./server.ts";

const BATCHES = 300;

/** Appends batches through one process; `work` is repeated meanwhile through another one. */
async function whileBatchesArrive(work: (store: Store) => Promise<void>): Promise<void> {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const url = await server.create();
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore(url, { now: Date.now });
    onTestFinished(() => store.close());
    return store;
  };
  const [one, other] = [await open(), await open()];
  await one.loadTests.create(loadTest());
  const over = new AbortController();
  const repeated = async (): Promise<void> => {
    while (!over.signal.aborted) await work(other);
  };
  const working = repeated();
  working.catch(() => undefined);
  for (let sequence = 0; sequence < BATCHES; sequence++) {
    await one.points.append(batchOf([sample("a", sequence)], { sequence }));
  }
  over.abort();
  await working;
  expect(await requestsByLabel(other)).toEqual([["a", BATCHES]]);
}

test("a load test can be changed while batches arrive at another server", async () => {
  let changes = 0;
  await whileBatchesArrive(async ({ loadTests }) => {
    const { name } = await loadTests.update("run", { name: `${(changes += 1)}` });
    expect(name).toBe(String(changes));
  });
  expect(changes).toBeGreaterThan(10);
});

test("what is verified while batches arrive is no damage", async () => {
  await whileBatchesArrive(async (store) => {
    expect(await Array.fromAsync(store.verify())).toEqual([]);
  });
});
