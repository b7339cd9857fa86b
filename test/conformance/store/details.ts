/** Failures by kind, active users and windows are kept exactly once, like the points. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ALL_SECONDS } from "../../../src/model/columns.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import {
  batchOf,
  collect,
  published,
  sample,
  seriesIn,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../support/batches.ts";
import {
  active,
  detailed,
  expectedFailures,
  expectedUsers,
  failure,
  failuresIn,
  LABELS,
  sourceOf,
  storedFailures,
  storedUsers,
  usersIn,
  withFailures,
  withUsers,
} from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import {
  failuresArbitrary,
  failureTable,
  usersArbitrary,
  userTable,
} from "../../support/plain-details.ts";
import { randomCases } from "../../support/random-cases.ts";

export function detailsConform(open: () => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open();
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("failures in any order and cut are answered as all of them at once", async () => {
    const store = await open();
    let runs = 0;
    const cuts = fc.array(failuresArbitrary, { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(cuts, async (split) => {
      const loadTestId = `run-${runs++}`;
      await store.loadTests.create(loadTest(loadTestId));
      for (const [sequence, failures] of split.entries()) {
        const sourceId = `sender ${sequence % 2}`;
        await store.points.append(withFailures(failures, { loadTestId, sourceId, sequence }));
      }
      expect(await storedFailures(store, loadTestId)).toEqual(expectedFailures(split.flat()));
    });
    await fc.assert(property, { numRuns: randomCases(40) });
  });

  test("users in any order and cut are answered by source and generator", async () => {
    const store = await open();
    let runs = 0;
    const property = fc.asyncProperty(
      fc.array(usersArbitrary, { minLength: 1, maxLength: 5 }),
      async (split) => {
        const loadTestId = `run-${runs++}`;
        await store.loadTests.create(loadTest(loadTestId));
        for (const [sequence, users] of split.entries()) {
          const sourceId = sourceOf(sequence);
          await store.points.append(withUsers(users, { loadTestId, sourceId, sequence }));
        }
        expect(await storedUsers(store, loadTestId)).toEqual(expectedUsers(split));
      },
    );
    await fc.assert(property, { numRuns: randomCases(40) });
  });

  test("endpoints are answered in the order asked for, empty where they have no failure", async () => {
    const store = await openWithRun();
    const failures = [failure(0, "500", 3), failure(1, "500", 5)];
    await store.points.append({ ...withFailures(failures), labels: ["x", "y"] });
    await store.points.append(batchOf([sample("z", 3)], { sequence: 1 }));
    const snapshot = await snapshotOf(store);
    const [x, y, z] = await endpointsOf(snapshot);
    if (!x || !y || !z) throw new Error("three endpoints were appended");
    const asked = [z, y, x, y, { number: 99, label: "?" }];
    const answer = await collect(snapshot.failures(asked, { from: 4, until: 9 }));
    expect(answer.map(({ endpoint }) => endpoint)).toEqual(asked);
    expect(answer.map(({ kinds, second }) => [kinds.length, [...second]])).toEqual([
      [0, []],
      [1, [5]],
      [0, []],
      [1, [5]],
      [0, []],
    ]);
    snapshot.release();
  });

  test.each([
    [{ from: 2, until: 4 }, [2, 3]],
    [{ from: 0, until: 2 }, [0, 1]],
    [{ from: 5, until: 100 }, []],
    [{ from: 4, until: 2 }, []],
  ])("the range %o gives failures of the seconds %o", async (range, seconds) => {
    const store = await openWithRun();
    for (const [sequence, second] of [3, 0, 4, 1, 2].entries()) {
      await store.points.append(withFailures([failure(0, "500", second)], { sequence }));
    }
    const [found] = await storedFailures(store, "run", range);
    expect(found?.rows.map(([, , second]) => second)).toEqual(seconds);
  });

  test("users of the range are told, and no generator without any", async () => {
    const store = await openWithRun();
    await store.points.append(
      withUsers([active("one", 3, 5), active("one", 4, 6), active("two", 9, 1)]),
    );
    const found = await storedUsers(store, "run", { from: 4, until: 9 });
    expect(found).toEqual([["sender", "one", [[4, 6, 0, 0]]]]);
  });

  test("a label that only a failure uses is an endpoint", async () => {
    const store = await openWithRun();
    const failures = [failure(0, "500", 3)];
    await store.points.append({ ...withFailures(failures), labels: ["only failures"] });
    const snapshot = await snapshotOf(store);
    expect((await endpointsOf(snapshot)).map(({ label }) => label)).toEqual(["only failures"]);
    const [series] = await seriesIn(snapshot);
    expect(series?.[1].second).toHaveLength(0);
    snapshot.release();
    expect(await store.loadTests.list()).toMatchObject([{ endpoints: 1, requests: 0 }]);
  });

  test("lone surrogates in kinds and generators become U+FFFD", async () => {
    const store = await openWithRun();
    const failures = ["\ud800", "\udc00"].map((code) => ({ ...failure(0, "", 3), code }));
    const batch = {
      ...withFailures(failures),
      ...withUsers([active("\ud801", 3, 1)]),
      labels: LABELS,
    };
    await store.points.append({ ...batch, failures: failureTable(failures) });
    const [found] = await storedFailures(store);
    expect(found?.rows).toEqual([["\ufffd", "", 3, 2]]);
    expect(await storedUsers(store)).toEqual([["sender", "\ufffd", [[3, 1, 0, 0]]]]);
  });

  test("the same batch again changes nothing, however its contents are numbered", async () => {
    const store = await openWithRun();
    const batch = detailed();
    await store.points.append(batch);
    const { failures, users } = batch;
    if (failures === undefined || users === undefined) throw new Error("the batch has both");
    const again: PointBatch = {
      ...batch,
      failures: {
        kinds: [{ code: "unused", message: "" }, ...failures.kinds],
        counts: { ...failures.counts, kind: failures.counts.kind.map((kind) => kind + 1) },
      },
      users: { ...users, generators: [...users.generators, "unused"] },
    };
    expect(await store.points.append(again)).toEqual({ duplicate: true });
    expect(await storedUsers(store)).toEqual([["sender", "host", [[3, 7, 0, 0]]]]);
    expect((await storedFailures(store)).flatMap(({ rows }) => rows)).toEqual([["503", "", 3, 2]]);
  });

  test.each<[string, Partial<PointBatch>]>([
    ["another count of failures", { failures: failureTable([failure(0, "503", 3, 3)]) }],
    ["another kind", { failures: failureTable([failure(0, "504", 3, 2)]) }],
    ["no failures", { failures: failureTable([]) }],
    ["other users", { users: userTable([active("host", 3, 8)]) }],
    ["another generator", { users: userTable([active("other", 3, 7)]) }],
    ["no users", { users: userTable([]) }],
  ])("the number of a batch with %s is refused, and changes nothing", async (_, other) => {
    const store = await openWithRun();
    await store.points.append(detailed());
    await expect(store.points.append({ ...detailed(), ...other })).rejects.toMatchObject({
      code: "sequence-reused",
    });
    expect(await storedUsers(store)).toEqual([["sender", "host", [[3, 7, 0, 0]]]]);
    expect((await storedFailures(store)).flatMap(({ rows }) => rows)).toEqual([["503", "", 3, 2]]);
  });

  test("a table without rows is the same as none", async () => {
    const store = await openWithRun();
    const empty = { failures: failureTable([]), users: userTable([]) };
    await store.points.append(batchOf([sample("a", 1)], empty));
    expect(await store.points.append(batchOf([sample("a", 1)]))).toEqual({ duplicate: true });
  });

  test("a staged source's are seen when it is published, and go when it is replaced", async () => {
    const store = await openWithRun();
    await store.points.append(detailed({ sourceId: "short", visibility: "staged" }));
    expect(await storedFailures(store)).toEqual([]);
    expect(await storedUsers(store)).toEqual([]);
    await store.points.publish(published("short"));
    expect(await storedUsers(store)).toEqual([["short", "host", [[3, 7, 0, 0]]]]);
    expect((await storedFailures(store)).flatMap(({ rows }) => rows)).toEqual([["503", "", 3, 2]]);
    await store.points.publish(published("empty"), ["short"]);
    expect(await storedFailures(store)).toEqual([]);
    expect(await storedUsers(store)).toEqual([]);
  });

  test("a discarded source and a deleted load test take theirs with them", async () => {
    const store = await openWithRun();
    const batch = detailed({ sourceId: "file", visibility: "staged" });
    await store.points.append(batch);
    await store.points.discard("run", "file");
    await store.points.append(batchOf([], { sourceId: "file", visibility: "staged" }));
    await store.points.publish(published("file"));
    expect(await storedUsers(store)).toEqual([]);
    await store.points.append(detailed());
    await store.loadTests.delete("run");
    await store.loadTests.create(loadTest("run"));
    expect(await storedFailures(store)).toEqual([]);
    expect(await storedUsers(store)).toEqual([]);
  });

  test("later writes do not change what a snapshot reads of them", async () => {
    const store = await openWithRun();
    await store.points.append(detailed({ sourceId: "file", visibility: "staged" }));
    await store.points.publish(published("file"));
    const snapshot = await snapshotOf(store);
    await store.points.append(detailed());
    await store.points.publish(published("empty"), ["file"]);
    await store.loadTests.delete("run");
    expect(await usersIn(snapshot)).toEqual([["file", "host", [[3, 7, 0, 0]]]]);
    expect((await failuresIn(snapshot)).flatMap(({ rows }) => rows)).toEqual([["503", "", 3, 2]]);
    snapshot.release();
  });

  test("what would exceed 2^53 - 1 when it is merged is refused when it is read", async () => {
    const store = await openWithRun();
    const most = Number.MAX_SAFE_INTEGER;
    for (const sequence of [0, 1]) {
      await store.points.append({
        ...detailed({ sequence }),
        failures: failureTable([failure(0, "503", 3, most)]),
        users: userTable([{ ...active("host", 3, 0), started: most }]),
      });
    }
    await expect(storedFailures(store)).rejects.toMatchObject({ code: "sum-too-large" });
    await expect(storedUsers(store)).rejects.toMatchObject({ code: "sum-too-large" });
  });

  test("windows are kept, merge by the longest, and leave no column where all are one second", async () => {
    const store = await openWithRun();
    const batch = batchOf([sample("a", 10), sample("b", 10), sample("b", 20)]);
    const windows = (...seconds: number[]): PointBatch => ({
      ...batch,
      points: { ...batch.points, windowSeconds: Uint16Array.from(seconds) },
    });
    await store.points.append(windows(1, 10, 65_535));
    expect(await store.points.append(windows(1, 10, 65_535))).toEqual({ duplicate: true });
    await expect(store.points.append(windows(1, 10, 5))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    await store.points.append({ ...windows(1, 5, 1), sequence: 1 });
    const windowsOf = async (range = ALL_SECONDS) => {
      const snapshot = await snapshotOf(store);
      const endpoints = await endpointsOf(snapshot);
      const sums = await collect(snapshot.read(endpoints, range, "sums"));
      const series = await seriesIn(snapshot, range);
      snapshot.release();
      expect(series.map(([, columns]) => columns.windowSeconds)).toEqual(
        sums.map(({ columns }) => columns.windowSeconds),
      );
      return sums.map(
        ({ columns }) => "windowSeconds" in columns && [...(columns.windowSeconds ?? [])],
      );
    };
    expect(await windowsOf()).toEqual([false, [10, 65_535]]);
    expect(await windowsOf({ from: 20, until: 21 })).toEqual([false, [65_535]]);
  });

  test("windows of one second each are the same contents as none", async () => {
    const store = await openWithRun();
    const batch = batchOf([sample("a", 10)]);
    const points = { ...batch.points, windowSeconds: Uint16Array.of(1) };
    await store.points.append({ ...batch, points });
    expect(await store.points.append(batch)).toEqual({ duplicate: true });
    expect(Object.keys((await stored(store))[0]?.[1] ?? {})).not.toContain("windowSeconds");
  });
}
