import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  batchOf,
  collect,
  expectedSeries,
  published,
  sample,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../../test/support/batches.ts";
import { breakLargeFile } from "../../../test/support/broken-page.ts";
import { active, failure, storedFailures, storedUsers } from "../../../test/support/details.ts";
import { randomFrom } from "../../../test/support/dense-points.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { failureTable, userTable } from "../../../test/support/plain-details.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";
import type { UserError } from "../../model/errors.ts";
import { reportedPercentiles } from "../../model/reported-percentiles.ts";
import { checksum } from "../block/envelope.ts";
import { ALL_SECONDS } from "../../model/columns.ts";
import type { Store } from "../store.ts";
import { openFile } from "./file.ts";

const second = Date.UTC(2026, 8, 21, 14, 13) / 1000;
const samples = ["a", "b"].flatMap((label) =>
  Array.from({ length: 90 }, (_, index) => sample(label, second + index, 1000 * index)),
);

/** Failures and users of endpoint "a". */
const details = {
  failures: failureTable([failure(0, "503", second, 2), failure(0, "504", second + 60)]),
  users: userTable([active("host", second, 7)]),
};

/** Percentiles and quality of the imported half. */
const reported = reportedPercentiles([
  { label: undefined, window: undefined, percentiles: [[0.95, 1234]] },
]);
const quality = {
  unrecorded: ["sizes"],
  untimedRequests: 0,
  averagedRequests: 0,
  windowSeconds: 1,
  rejectedRows: 3,
} as const;

/** Creates a store with one load test, half live and half imported, with details, and closes it. */
async function filledDirectory(): Promise<string> {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest());
  await store.points.append(batchOf(samples.slice(0, 90)));
  const about = { sourceId: "file", visibility: "staged" } as const;
  await store.points.append({ ...batchOf(samples.slice(90), about), reported });
  await store.points.publish({ ...published("file"), quality });
  await store.points.append({ ...batchOf([], { sequence: 1, ...details }), labels: ["a"] });
  await store.close();
  return directory;
}

function change(directory: string, sql: string): void {
  const database = new DatabaseSync(path.join(directory, "store.db"), { defensive: false });
  database.exec(sql);
  database.close();
}

const text = (given: string): number[] => [...Buffer.from(given)];

/** Flips a bit of one of these bytes in the first page of a table or index. */
function flipIn(file: string, name: string, cell: readonly number[], { at = 0, bit = 1 }): void {
  using database = new DatabaseSync(file);
  const page = database.prepare("SELECT pageno FROM dbstat WHERE name = ?").get(name);
  const from = 4096 * (Number(page?.["pageno"]) - 1);
  const bytes = readFileSync(file);
  const found = bytes.indexOf(Buffer.from(cell), from);
  expect(found).toBeGreaterThan(from);
  expect(found).toBeLessThan(from + 4096);
  bytes[found + at] = (bytes[found + at] as number) ^ bit;
  writeFileSync(file, bytes);
}

const flip = (column: string) =>
  `CAST(substr(${column}, 1, 9) || x'f3' || substr(${column}, 11) AS BLOB)`;

/** The table takes text while it is not strict. */
const asText = (table: string, column: string) =>
  `CREATE TEMP TABLE strict AS SELECT sql FROM sqlite_schema WHERE name = '${table}';
   PRAGMA writable_schema = ON;
   UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', '') WHERE name = '${table}';
   PRAGMA writable_schema = RESET;
   UPDATE ${table} SET ${column} = CAST(${column} AS TEXT);
   PRAGMA writable_schema = ON;
   UPDATE sqlite_schema SET sql = (SELECT sql FROM strict) WHERE name = '${table}';`;

test.each([
  ["plain bytes", `UPDATE segments SET plain = ${flip("plain")} WHERE block = 2`, /"b"/],
  [
    "distribution bytes",
    `UPDATE segments SET distribution = ${flip("distribution")} WHERE block = 2`,
    /endpoint "b", minutes 2026-09-21T14:13Z to 2026-09-21T14:14Z/,
  ],
  ["a segment that is missing", "DELETE FROM segments WHERE block = 2", /is missing/],
  [
    "the segment of another block",
    `UPDATE segments SET plain = (SELECT plain FROM segments WHERE block = 1)
     WHERE block = 2`,
    /not the one/,
  ],
  // A flipped bit can turn bytes into text, which our tables would not accept from a write.
  ["bytes that became text", asText("segments", "plain"), /not the one/],
  ["endpoints that became text", asText("blocks", "endpoints"), /checksum/],
  ["a block's row", "UPDATE blocks SET last_second = last_second - 60", /checksum/],
  ["a block that is missing", "DELETE FROM blocks WHERE number = 2", /3 blocks.*4 were/],
  [
    "a block that is hidden",
    "UPDATE blocks SET shown_from = 99 WHERE number = 2",
    /3 blocks.*4 were/,
  ],
  [
    "bytes of failures",
    `UPDATE segments SET plain = ${flip("plain")} WHERE block = 3`,
    /failures of endpoint "a", minutes 2026-09-21T14:13Z to 2026-09-21T14:14Z/,
  ],
  [
    "bytes of users",
    `UPDATE segments SET plain = ${flip("plain")} WHERE block = 4`,
    /users of minute 2026-09-21T14:13Z/,
  ],
  ["the kind of a block", "UPDATE blocks SET kind = 'users' WHERE number = 3", /checksum/],
  ["a label", "UPDATE endpoints SET label = 'c' WHERE label = 'b'", /label of endpoint 1/],
  [
    "a label that has two numbers",
    `UPDATE endpoints SET label = 'a', crc = ${checksum('[1,1,"a"]')} WHERE label = 'b'`,
    /label "a" has two numbers, 0 and 1/,
  ],
  ["a label that is missing", "DELETE FROM endpoints WHERE label = 'b'", /labels are missing/],
  ["a load test's row", "UPDATE load_tests SET requests = requests + 1", /load test "run"/],
  [
    "reported percentiles",
    `UPDATE reported_percentiles SET bytes = ${flip("bytes")}`,
    /reported percentiles of source "file"/,
  ],
  [
    "reported percentiles that became text",
    asText("reported_percentiles", "bytes"),
    /reported percentiles of source "file"/,
  ],
  ["the quality of a source", "UPDATE sources SET quality = substr(quality, 2)", /source "file"/],
  [
    "the quality of a source, which is JSON still",
    `UPDATE sources SET quality = replace(quality, 'unrecorded', 'unrecordee')`,
    /source "file"/,
  ],
])("damage of %s is reported by reading and by verifying", async (_, sql, message) => {
  const directory = await filledDirectory();
  change(directory, sql);
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  const damaged = { code: "damaged-store", message: expect.stringMatching(message) };
  const reading = everything(store).then(() => storedSources(store));
  await expect(reading).rejects.toMatchObject(damaged);
  const found = await collect(store.verify());
  expect(found.length).toBeGreaterThan(0);
  expect(found.map(({ loadTestId }) => loadTestId)).toContain("run");
});

test("damage of one endpoint leaves the others readable", async () => {
  const directory = await filledDirectory();
  change(directory, `UPDATE segments SET plain = ${flip("plain")} WHERE block = 2`);
  const store = await openStoreIn(directory);
  const snapshot = await snapshotOf(store);
  const [first] = await endpointsOf(snapshot);
  const [series] = await collect(snapshot.read(first ? [first] : [], ALL_SECONDS, "distribution"));
  expect([series?.endpoint.label, series?.columns]).toEqual(expectedSeries(samples)[0]);
  snapshot.release();
  const [damage, ...more] = await collect(store.verify());
  expect(more).toEqual([]);
  expect(damage?.loadTestId).toBe("run");
  expect(damage?.message).toContain('endpoint "b", minutes 2026-09-21T14:13Z to');
});

test("an undamaged store has nothing to report", async () => {
  const store = await openStoreIn(await filledDirectory());
  expect(await collect(store.verify())).toEqual([]);
});

test("no flipped bit of the file causes wrong data", async () => {
  const directory = await filledDirectory();
  const file = path.join(directory, "store.db");
  const whole = readFileSync(file);
  const used = Uint32Array.from(whole.keys()).filter((at) => whole[at] !== 0);
  const expected = await answerOf(directory);
  expect(expected?.[0]).toEqual(expectedSeries(samples));
  const random = randomFrom(7);
  const outcomes = { right: 0, refused: 0, wrong: 0 };
  for (let round = 0; round < 80; round++) {
    const damaged = Buffer.from(whole);
    // Every other round damages a byte that is not zero.
    const places = round % 2 === 0 ? used : whole;
    const place = Math.floor(random() * places.length);
    const at = round % 2 === 0 ? (used[place] as number) : place;
    damaged[at] = (damaged[at] as number) ^ (1 << Math.floor(random() * 8));
    writeFileSync(file, damaged);
    const answer = await answerOf(directory);
    if (answer === undefined) outcomes.refused += 1;
    else if (JSON.stringify(answer) === JSON.stringify(expected)) outcomes.right += 1;
    else outcomes.wrong += 1;
  }
  expect(outcomes.wrong).toBe(0);
  expect(outcomes.refused).toBeGreaterThan(2);
});

test("opening a file with a broken page is refused, unless the file is too large to check", async () => {
  const directory = await filledDirectory();
  const file = path.join(directory, "store.db");
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096 * 3, 4096 * 5);
  writeFileSync(file, bytes);
  await expect(openStoreIn(directory)).rejects.toMatchObject({ code: "damaged-store" });
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  const found = await collect(store.verify());
  expect(found[0]?.message).toMatch(/^the file: .*malformed/);
});

test("opening a large file with a broken page is refused, unless the check is off", async () => {
  const directory = await filledDirectory();
  // Large enough for a second thread.
  breakLargeFile(path.join(directory, "store.db"));
  await expect(openStoreIn(directory)).rejects.toMatchObject({ code: "damaged-store" });
  await openStoreIn(directory, { quickCheckBytesMax: 0 });
  const found: unknown[] = [];
  const store = await openStoreIn(directory, { damaged: (error) => found.push(error) });
  const expected = { code: "damaged-store", message: expect.stringContaining("restore a backup") };
  // The check is still running, and a write waits for it.
  expect(found).toEqual([]);
  expect(await stored(store)).toEqual(expectedSeries(samples));
  await expect(store.loadTests.create(loadTest("next"))).rejects.toMatchObject(expected);
  expect(found).toMatchObject([expected]);
});

test("a row of an earlier state is reported when load tests are listed", async () => {
  const directory = await filledDirectory();
  using database = new DatabaseSync(path.join(directory, "store.db"));
  const before = database.prepare("SELECT * FROM load_tests").get();
  const store = await openStoreIn(directory);
  await store.points.append(batchOf(samples.slice(0, 3), { sequence: 2 }));
  expect(await store.loadTests.list()).toMatchObject([{ requests: samples.length + 3 }]);
  const columns = Object.keys(before ?? {});
  const values = columns.map((name) => `${name} = :${name}`).join();
  database.prepare(`UPDATE load_tests SET ${values}`).run(before as Record<string, number>);
  const expected = {
    code: "damaged-store",
    message: expect.stringContaining("those of its sources"),
  };
  await expect(store.loadTests.list()).rejects.toMatchObject(expected);
});

test("a load test that the index of ids has lost is damage, not unknown", async () => {
  const directory = await filledDirectory();
  const file = path.join(directory, "store.db");
  const database = new DatabaseSync(file, { defensive: false });
  database.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'audit_by_key')
    WHERE name = 'load_tests_by_id'`);
  database.close();
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  await expect(store.loadTests.find("run")).rejects.toMatchObject({ code: "damaged-store" });
  expect(await store.loadTests.find("other")).toBeUndefined();
});

test("an index of starts that lost all load tests is damage, not an empty list", async () => {
  const directory = await filledDirectory();
  const database = new DatabaseSync(path.join(directory, "store.db"), { defensive: false });
  database.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'audit_by_key')
    WHERE name = 'load_tests_by_start'`);
  database.close();
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  await expect(store.loadTests.list()).rejects.toMatchObject({ code: "damaged-store" });
});

test.each([
  // The number, 23 bytes of head, and the types of an automatic number, an empty text and NULL.
  { what: "whose number is another one", page: "load_tests", cell: [1, 23, 0, 13, 0], at: 0 },
  // The types of "run" and of the number 1; without the bit, that of 0.
  { what: "of another number in the index", page: "load_tests_by_start", cell: [19, 9], at: 1 },
])("a load test $what is damage, not left out", async ({ page, cell, at }) => {
  const directory = await filledDirectory();
  flipIn(path.join(directory, "store.db"), page, cell, { at });
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  await expect(store.loadTests.list()).rejects.toMatchObject({ code: "damaged-store" });
});

test("a load test that the index of starts lists in another project is damage", async () => {
  const directory = await filledDirectory();
  const web = { project: "web" };
  const filled = await openStoreIn(directory);
  for (const id of ["one", "other"]) await filled.within(web).loadTests.create(loadTest(id));
  await filled.close();
  flipIn(path.join(directory, "store.db"), "load_tests_by_start", text("web"), { at: 2 });
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  for (const query of [{}, { limit: 1 }, { tag: "none" }]) {
    await expect(store.within(web).loadTests.list(query)).rejects.toMatchObject({
      code: "damaged-store",
    });
  }
  expect(await store.loadTests.list()).toHaveLength(1);
});

test("a block that its index names twice is damage, not counted twice", async () => {
  const directory = await filledDirectory();
  const file = path.join(directory, "store.db");
  using database = new DatabaseSync(file);
  const page = database.prepare("SELECT pageno FROM dbstat WHERE name = 'blocks_by_load_test'");
  const from = 4096 * (Number(page.get()?.["pageno"]) - 1);
  const bytes = readFileSync(file);
  // An entry: length of its head, types of its values (the number 1, a byte), and the number of the block.
  const at = bytes.indexOf(Buffer.from([3, 9, 1, 2]), from) + 3;
  expect(at).toBeGreaterThan(from);
  bytes[at] = 3;
  writeFileSync(file, bytes);
  const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
  await expect(everything(store)).rejects.toMatchObject({ code: "damaged-store" });
});

test("verifying ends when a flipped bit gives a block a lower number", async () => {
  const directory = temporaryDirectory();
  const filled = await openStoreIn(directory);
  await filled.loadTests.create(loadTest());
  // Blocks of several sources are not merged.
  for (let sender = 0; sender < 20; sender++) {
    await filled.points.append(batchOf(samples.slice(0, 2), { sourceId: `sender-${sender}` }));
  }
  await filled.close();
  const file = path.join(directory, "store.db");
  const whole = readFileSync(file);
  const found: string[] = [];
  for (let number = 16; number <= 20; number++) {
    for (const bit of [1, 2, 4, 8, 16].filter((each) => (number & each) !== 0)) {
      writeFileSync(file, whole);
      // The length of the head of a row, and the types of NULL, its automatic number, and of 1, the run.
      flipIn(file, "blocks", [number, 18, 0, 9], { bit });
      const store = await openStoreIn(directory, { quickCheckBytesMax: 0 });
      const messages = (await collect(store.verify())).map(({ message }) => message);
      expect(messages).not.toEqual([]);
      found.push(...messages);
      await store.close();
    }
  }
  expect(found).toContainEqual(expect.stringMatching(/lists number \d+ after \d+/));
});

test("a full disk refuses writes, not reads, and writes succeed once there is room", async () => {
  const directory = await filledDirectory();
  const options = { now: () => 1, quickCheckBytesMax: 0 };
  const file = openFile(path.join(directory, "store.db"), options);
  const fill = () =>
    file.queue.write(() =>
      file.writer.exec("INSERT INTO segments VALUES (99, zeroblob(99999), NULL)"),
    );
  const pages = Number(file.writer.prepare("PRAGMA page_count").get()?.["page_count"]);
  file.writer.exec(`PRAGMA max_page_count = ${pages}`);
  await expect(fill()).rejects.toMatchObject({ code: "storage-full" });
  expect(file.reading.loadTests.find({}, "run")).toMatchObject({ requests: 180 });
  file.writer.exec("PRAGMA max_page_count = 1000000");
  await fill();
  await file.close();
});

async function answerOf(directory: string) {
  try {
    const store = await openStoreIn(directory);
    return await everything(store).finally(() => store.close());
  } catch (error) {
    const refusals = ["damaged-store", "store-unusable", "store-too-new"];
    if (!refusals.includes((error as UserError).code)) throw error;
    return undefined;
  }
}

async function everything(store: Store) {
  return [await stored(store), await storedFailures(store), await storedUsers(store)] as const;
}

/** Returns the quality and the percentiles of each source. */
async function storedSources(store: Store) {
  const snapshot = await snapshotOf(store);
  try {
    const sources = await snapshot.sources();
    return await Promise.all(
      sources.map(async ({ sourceId, published: about }) => {
        const { micros } = await snapshot.reported(sourceId);
        return [sourceId, about?.quality, [...micros]] as const;
      }),
    );
  } finally {
    snapshot.release();
  }
}
