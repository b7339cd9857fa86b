/** Upgrades of files written by earlier versions. */

import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
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
import { detailed, storedFailures, storedUsers } from "../../../test/support/details.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";

const live = [[sample("a", 1), sample("b", 1, 70)], [sample("a", 2)]];
const file = [sample("a", 2), sample("c", 3)];

function directoryWith(fixture: string): string {
  const directory = temporaryDirectory();
  const bytes = readFileSync(
    path.join(import.meta.dirname, "../../../test/fixtures/store", fixture),
  );
  writeFileSync(path.join(directory, "store.db"), gunzipSync(bytes));
  return directory;
}

test("version 1: its data reads as before, and its batches are recognised", async () => {
  const store = await openStoreIn(directoryWith("version-1.db.gz"));
  const expected = expectedSeries([...live.flat(), ...file]);
  expect(await stored(store)).toEqual(expected);
  expect(await store.points.sources("run")).toEqual([
    { ...published("file"), digest: hash("sha256", "file") },
  ]);
  for (const [sequence, samples] of live.entries()) {
    expect(await store.points.append(batchOf(samples, { sequence }))).toEqual({ duplicate: true });
  }
  expect(await stored(store)).toEqual(expected);
  expect(await collect(store.verify())).toEqual([]);
});

test("version 1: an import in progress can be finished, and details can be added", async () => {
  const store = await openStoreIn(directoryWith("version-1.db.gz"));
  await store.points.publish(published("unfinished"));
  await store.points.append(detailed({ sourceId: "late" }));
  const more = [sample("z", 9), sample("a", 3)];
  expect(await stored(store)).toEqual(expectedSeries([...live.flat(), ...file, ...more]));
  expect(await storedUsers(store)).toEqual([["late", "host", [[3, 7, 0, 0]]]]);
  expect((await storedFailures(store)).flatMap(({ rows }) => rows)).toEqual([["503", "", 3, 2]]);
  await store.loadTests.delete("run");
  expect(await collect(store.verify())).toEqual([]);
});

test("version 5: its endpoints stay requests, and its batches are recognised", async () => {
  const store = await openStoreIn(directoryWith("version-5.db.gz"));
  expect(await stored(store)).toEqual(expectedSeries([...live.flat(), ...file]));
  for (const [sequence, samples] of live.entries()) {
    expect(await store.points.append(batchOf(samples, { sequence }))).toEqual({ duplicate: true });
  }
  const roles = ["transaction", "transaction"] as const;
  await store.points.append({
    ...batchOf([sample("a", 3), sample("d", 3)], { sequence: 2 }),
    roles,
  });
  const snapshot = await snapshotOf(store);
  const endpoints = await endpointsOf(snapshot).finally(() => snapshot.release());
  expect(endpoints.map(({ label, role }) => [label, role])).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["c", undefined],
    ["d", "transaction"],
  ]);
  expect(await collect(store.verify())).toEqual([]);
});

test("version 8: data of the first release reads as before", async () => {
  const store = await openStoreIn(directoryWith("version-8.db.gz"));
  const detail = [sample("a", 3)];
  const all = [...live.flat(), ...file, ...detail];
  expect(await stored(store)).toEqual(expectedSeries(all));
  expect(await storedUsers(store)).toEqual([["detailed", "host", [[3, 7, 0, 0]]]]);
  expect((await storedFailures(store)).flatMap(({ rows }) => rows)).toEqual([["503", "", 3, 2]]);
  // Six rows, of which that of transaction b is not a request.
  const counts = { requests: 5, failedRequests: 0 };
  const run = { tags: ["nightly"], pinned: true, ...counts };
  expect(await store.loadTests.find("run")).toMatchObject(run);
  const snapshot = await snapshotOf(store);
  const endpoints = await endpointsOf(snapshot).finally(() => snapshot.release());
  expect(endpoints.map(({ label, role }) => [label, role])).toEqual([
    ["a", undefined],
    ["b", "transaction"],
    ["c", undefined],
  ]);
  expect(await store.points.sources("run")).toEqual([published("file")]);
  for (const [sequence, samples] of live.entries()) {
    const roles = sequence === 0 ? (["request", "transaction"] as const) : undefined;
    const batch = batchOf(samples, { sequence });
    const again = roles === undefined ? batch : { ...batch, roles };
    expect(await store.points.append(again)).toEqual({ duplicate: true });
  }
  await store.points.publish(published("unfinished"));
  expect(await stored(store)).toEqual(expectedSeries([...all, sample("z", 9)]));
  expect(await store.loadTests.find("run")).toMatchObject({ requests: 6 });
  expect(await collect(store.verify())).toEqual([]);
});
