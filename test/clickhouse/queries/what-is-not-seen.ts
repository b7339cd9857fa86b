import type { Store } from "../../../src/store/store.ts";
import { LOAD_TEST_ID } from "../../samples/import-and-read.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { active, withUsers } from "../../support/details.ts";
import type { PlainUsers } from "../../support/plain-details.ts";
import type { SqlDatabase } from "./sql-database.ts";

const LABEL = "POST /checkout";
const SECOND = 1_795_256_400;

/**
 * Names that JSON, lists and SQL escape; one reports a number of users, another arrivals and departures.
 */
const USERS: readonly PlainUsers[] = [
  active('a "quoted", [odd] name\\', SECOND, 5),
  active('a "quoted", [odd] name\\', SECOND + 3, 2),
  { generator: "é, 'too'\n", second: SECOND + 1, active: 0, started: 4, ended: 1 },
  { generator: "é, 'too'\n", second: SECOND + 5, active: 0, started: 0, ended: 3 },
];

/** Rows of another process that replaced the same file at the same time and lost. */
const COLUMNS =
  "load_test_id, incarnation, kind, endpoint_hash, second, sequence, test_day, requests";
const RIVAL = `INSERT INTO measurements (${COLUMNS}, source, text)
SELECT ${COLUMNS}, source + 1, replaceOne(text, 'gmac:', 'gmac:0') FROM measurements
WHERE source IN (SELECT source FROM visible_sources WHERE source_id = 'long')`;

/**
 * Adds rows that no query may count (an incomplete file, removed sources, deleted load tests, an hour of an
 * environment, duplicate rows) and some that it must (a live sender, a file that replaced another).
 */
export async function addWhatIsNotSeen(store: Store, database: SqlDatabase): Promise<void> {
  const { points, loadTests } = store;
  await database.run(`SYSTEM STOP MERGES ${database.name}.measurements`);
  const loadTestId = LOAD_TEST_ID;
  const about = { loadTestId, visibility: "staged" } as const;
  const some = [sample(LABEL, SECOND, 70_000), sample("unseen /products", SECOND)];
  await points.append(batchOf(some, { ...about, sourceId: "unfinished" }));
  await points.append(batchOf(some, { ...about, visibility: "live", sourceId: "withdrawn" }));
  await points.withdraw(loadTestId, "withdrawn");
  await points.append(batchOf(some, { ...about, sourceId: "short" }));
  await points.publish(published("short", loadTestId));
  const seen = [sample(LABEL, SECOND, 90_000), sample("seen /products", SECOND)];
  await points.append(batchOf(seen, { ...about, sourceId: "long" }));
  await points.publish(published("long", loadTestId), ["short"]);
  const live = { loadTestId, sourceId: "live", format: "test" };
  await points.append(batchOf(seen, live));
  await points.append(batchOf(seen, { ...live, sequence: 7 }));
  await points.append(withUsers(USERS, { loadTestId, sourceId: "live", sequence: 8 }));
  await points.append(withUsers(USERS.slice(2), { loadTestId, sourceId: "live", sequence: 9 }));
  for (const id of ["deleted", "again"]) await deleteOne(store, id);
  await loadTests.create({ id: "web/~staging/2026-11-21T13", name: "staging", createdAtMs: 0 });
  const again = { id: "again", name: "Made again", createdAtMs: SECOND * 1000 };
  await loadTests.create({ ...again, tags: ["b", "a"], pinned: true });
  await loadTests.update("again", { tags: ["c", "a"], finishedAtMs: SECOND * 1000 + 500 });
  await database.run(RIVAL);
  await database.run("INSERT INTO measurements SELECT * FROM measurements");
}

async function deleteOne({ loadTests, points }: Store, id: string): Promise<void> {
  await loadTests.create({ id, name: "To be deleted", createdAtMs: 0 });
  await points.append(batchOf([sample(LABEL, SECOND)], { loadTestId: id }));
  await loadTests.delete(id);
}
