/** Of two servers on a database that judge at the same time, one posts. */

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { FinishedJudge } from "../../src/analysis/thresholds/judge-finished.ts";
import { NoticeLedger } from "../../src/analysis/thresholds/notice-ledger.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { type PostgresServer, startServer } from "./server.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function twoStores() {
  const url = await server.create();
  const open = async () => {
    const store = await openPostgresStore(url, { now: Date.now });
    onTestFinished(() => store.close());
    return store;
  };
  return [await open(), await open()] as const;
}

const NAME = "shop";
const IDS = Array.from({ length: 20 }, (_, at) => `run-${at}`);

test("each finished run that failed is posted once", async () => {
  const stores = await twoStores();
  const [store] = stores;
  await store.thresholds.keep(NAME, "any");
  const second = Math.floor(Date.now() / 1000);
  for (const id of IDS) {
    await store.loadTests.create({ ...loadTest(id), name: NAME });
    await store.points.append({ ...batchOf([sample("GET /", second)]), loadTestId: id });
    await store.loadTests.update(id, { finishedAtMs: Date.now() });
  }
  const posted: string[] = [];
  const judges = stores.map((each) => {
    const counts = { checked: 1, failed: 1, judged: 1 };
    return new FinishedJudge({
      store: each,
      isReady: async () => true,
      verdictOf: async (name) => ({ name, against: null, fails: true, ...counts, thresholds: [] }),
      now: Date.now,
      clockMs: () => performance.now(),
      onFailed: async ({ id }) => void posted.push(id),
      failed: (_, reason) => void posted.push(reason),
    });
  });
  for (let pass = 0; pass < 3; pass++) {
    await Promise.all(judges.map((judge) => judge.judge()));
    await Promise.all(judges.map((judge) => judge.settle()));
  }
  expect(posted.toSorted()).toEqual(IDS.toSorted());
});

test("each window that breaks is posted once", async () => {
  const stores = await twoStores();
  const posted: string[] = [];
  const ledgers = stores.map(({ noticeNotes: notes }, at) => {
    return new NoticeLedger({
      notes,
      send: async ({ id }) => posted.push(id) > 0,
      now: Date.now,
      clockMs: () => performance.now(),
      process: `server-${at}`,
    });
  });
  const event = "thresholds-broken" as const;
  const about = { event, address: undefined, thresholds: [], count: 0 };
  const notices = IDS.map((id) => ({ ...about, id, loadTest: { id, name: id } }));
  await Promise.all(ledgers.flatMap((ledger) => notices.map((notice) => ledger.post(notice))));
  await Promise.all(ledgers.map((ledger) => ledger.tend()));
  await Promise.all(ledgers.map((ledger) => ledger.settle()));
  expect(posted.toSorted()).toEqual(IDS.toSorted());
});
