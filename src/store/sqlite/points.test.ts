import { expect, onTestFinished, test } from "vitest";
import { batchOf, published, requestsByLabel, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";
import { UserError } from "../../model/errors.ts";
import type { LabelLimit } from "../label-limit.ts";
import type { PointBatch, Store } from "../store.ts";
import { openRunFigures } from "./catalogue/run-figures.ts";
import { openFile } from "./file.ts";
import { openLoadTests } from "./catalogue/load-tests.ts";
import { openPoints } from "./points.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";

/** Opens points of a store with a load test, with a compactor that only records its calls. */
async function open(labelLimit?: LabelLimit) {
  const file = openFile(`${temporaryDirectory()}/store.db`, {
    now: () => 1_000_000,
    quickCheckBytesMax: 0,
    labelLimit,
  });
  onTestFinished(() => file.close());
  const log: string[] = [];
  const compactor = {
    noteBatch: (source: number) => void log.push(`batch of ${source}`),
    mergePublished: async (source: number) => void log.push(`published ${source}`),
    downsample: async () => true,
  };
  const figures = openRunFigures(file);
  const points = openPoints(file, {}, { snapshots: new SnapshotKeeper(file), compactor, figures });
  await openLoadTests(file, {}).create(loadTest());
  const rows = (sql: string) => file.reader.prepare(sql).all();
  return { file, points, log, rows };
}

/** Returns a batch with `seconds` seconds of each label. */
function batchWith(seconds: number, labels: readonly string[], about: Partial<PointBatch> = {}) {
  const samples = labels.flatMap((label) =>
    Array.from({ length: seconds }, (_, second) => sample(label, 1 + second)),
  );
  return batchOf(samples, about);
}

const STAGED = { visibility: "staged" } as const;
const TO_BE_COMPACTED = { level: 0, endpoint_group: null };

test.each([
  ["a live batch of few seconds", batchWith(299, ["a"]), TO_BE_COMPACTED],
  ["one of 300", batchWith(300, ["a"]), { level: null, endpoint_group: 0 }],
  ["one of 300 that are of two labels", batchWith(150, ["a", "b"]), TO_BE_COMPACTED],
  ["a staged batch of 63 seconds", batchWith(63, ["a"], STAGED), TO_BE_COMPACTED],
  ["one of 64", batchWith(64, ["a"], STAGED), { level: 0, endpoint_group: 0 }],
  ["one of 63 of two labels", batchWith(63, ["a", "b"], STAGED), TO_BE_COMPACTED],
  ["one of 64 of two", batchWith(64, ["a", "b"], STAGED), { level: 0, endpoint_group: 0 }],
  ["one of 300", batchWith(300, ["a"], STAGED), { level: 0, endpoint_group: 0 }],
])("the size of a batch determines the arrangement of its block: %s", async (_, batch, wanted) => {
  const { points, rows } = await open();
  await points.append(batch);
  expect(rows("SELECT level, endpoint_group FROM blocks")).toMatchObject([wanted]);
});

test("a write states how many bytes it will store", async () => {
  const { file, points, rows } = await open();
  const log: unknown[] = [];
  const write = file.queue.write.bind(file.queue);
  file.queue.write = (run, bytes) => {
    log.push(bytes);
    return write(run, bytes);
  };
  // Two groups of endpoints, thus two blocks.
  const labels = Array.from({ length: 17 }, (_, label) => `label ${label}`);
  await points.append(batchWith(300, labels));
  const sizes = rows("SELECT length(plain) + length(distribution) AS bytes FROM segments").map(
    ({ bytes }) => Number(bytes),
  );
  expect(sizes).toHaveLength(2);
  expect(log.at(-1)).toBe(sizes.reduce((sum, bytes) => sum + bytes));
});

test("the compactor is notified of new live batches and of published sources", async () => {
  const { points, log } = await open();
  await points.append(batchWith(1, ["a"]));
  await points.append(batchWith(1, ["a"]));
  expect(log.splice(0)).toEqual(["batch of 1"]);
  await points.append(batchWith(1, ["a"], { ...STAGED, sourceId: "import" }));
  expect(log).toEqual([]);
  expect(await points.publish(published("import"))).toEqual({ duplicate: false });
  expect(await points.publish(published("import"))).toEqual({ duplicate: true });
  expect(log).toEqual(["published 2"]);
});

test("no batch is accepted on a full disk", async () => {
  const { file, points, rows } = await open();
  const full = new UserError("storage-full", "the disk is full");
  file.room.require = () => {
    throw full;
  };
  await expect(points.append(batchWith(1, ["a"]))).rejects.toBe(full);
  expect(rows("SELECT * FROM sources")).toEqual([]);
});

test.each(["live", "staged"] as const)(
  "a load test deleted while a %s batch is prepared stores nothing",
  async (visibility) => {
    const { file, points, rows } = await open();
    // Numbers the label, so that the next batch needs only one write.
    await points.append(batchWith(1, ["a"], { sourceId: "earlier" }));
    const write = file.queue.write.bind(file.queue);
    file.queue.write = async (run, bytes) => {
      file.queue.write = write;
      await openLoadTests(file, {}).delete("run");
      return write(run, bytes);
    };
    await expect(points.append(batchWith(1, ["a"], { visibility }))).rejects.toMatchObject({
      code: "unknown-load-test",
    });
    expect(rows("SELECT * FROM sources")).toEqual([]);
  },
);

test.each(["live", "staged"] as const)(
  "a source that is not %s refuses such a batch",
  async (visibility) => {
    const { points } = await open();
    const other = visibility === "live" ? "staged" : "live";
    await points.append(batchWith(1, ["a"], { visibility: other }));
    const batch = batchWith(1, ["a"], { visibility, sequence: 1 });
    await expect(points.append(batch)).rejects.toMatchObject({
      code: "sequence-reused",
      message: expect.stringContaining(`the source is ${other}, not ${visibility}`),
    });
  },
);

test("a live source cannot be published", async () => {
  const { points } = await open();
  await points.append(batchWith(1, ["a"]));
  await expect(points.publish(published("sender"))).rejects.toMatchObject({
    code: "source-incomplete",
  });
});

test("two files are the same only if both digest and size match", async () => {
  const { points } = await open();
  const first = published("first");
  for (const sourceId of ["first", "second", "third"]) {
    await points.append(batchWith(1, ["a"], { ...STAGED, sourceId }));
  }
  await points.publish(first);
  const larger = { ...first, sourceId: "second", sizeBytes: 2 };
  expect(await points.publish(larger)).toEqual({ duplicate: false });
  expect(await points.publish({ ...first, sourceId: "third" })).toEqual({ duplicate: true });
  const store = { points } as unknown as Store;
  expect(await requestsByLabel(store)).toEqual([["a", 2]]);
});

test("labels of an import that was given up go with its load test", async () => {
  const { file, points, rows } = await open();
  await points.append(batchWith(1, ["GET /users/ann@example.org"], STAGED));
  await points.discard("run", "sender");
  await openLoadTests(file, {}).deleteUnused("run");
  expect(rows("SELECT label FROM endpoints")).toEqual([]);
});
