import path from "node:path";
import { expect, test } from "vitest";
import { batchOf, collect, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";

import { openFile, type SqliteFile } from "./file.ts";
import { appendBatch } from "./points.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";
import { verifyFile } from "./verify.ts";

test("a batch that a server stores while a run is verified is no damage", async () => {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest("run"));
  await store.points.append(batchOf([sample("a", 1)]));
  await store.close();
  const open = () =>
    openFile(path.join(directory, "store.db"), { now: Date.now, quickCheckBytesMax: 0 });
  const [server, file] = [open(), open()];
  const row = server.reading.loadTests.find({}, "run");
  if (row === undefined) throw new Error("no run");
  const prepared = await prepareBatch(server, row, batchOf([sample("a", 2)], { sequence: 1 }));
  let batches = 0;
  const visible: SqliteFile["reading"]["sources"]["visible"] = (number) => {
    server.writer.exec("BEGIN IMMEDIATE");
    if (appendBatch(server, prepared) !== undefined) batches += 1;
    server.writer.exec("COMMIT");
    return file.reading.sources.visible(number);
  };
  const reading = { ...file.reading, sources: { ...file.reading.sources, visible } };
  expect(await collect(verifyFile({ ...file, reading }, new SnapshotKeeper(file)))).toEqual([]);
  expect(batches).toBe(1);
  await file.close();
  await server.close();
});
