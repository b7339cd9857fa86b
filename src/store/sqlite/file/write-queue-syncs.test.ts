import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { FILES, fakeConnection } from "../../../../test/support/fake-connection.ts";
import { UserError } from "../../../model/errors.ts";
import { WriteQueue } from "./write-queue.ts";

test("writes are acknowledged after the sync, and the next transaction waits for it", async () => {
  const connection = fakeConnection();
  const syncs: PromiseWithResolvers<void>[] = [];
  const queue = new WriteQueue(connection, {
    ...FILES,
    sync() {
      connection.log.push("sync");
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    },
  });
  const acknowledged: number[] = [];
  const write = (number: number): Promise<unknown> =>
    queue.write(() => number).then((answer) => acknowledged.push(answer));
  const first = [write(1), write(2)];
  await vi.waitFor(() => expect(syncs).toHaveLength(1));
  // They come while the disk works, and none of them may be forgotten.
  const later = [write(3), write(4)];
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect([acknowledged, connection.log.at(-1)]).toEqual([[], "sync"]);
  syncs[0]?.resolve();
  await Promise.all(first);
  expect(acknowledged).toEqual([1, 2]);
  await vi.waitFor(() => expect(syncs).toHaveLength(2));
  syncs[1]?.resolve();
  await Promise.all(later);
  expect(acknowledged).toEqual([1, 2, 3, 4]);
  expect(connection.log.filter((sql) => /COMMIT|sync/.test(sql))).toEqual([
    "COMMIT",
    "sync",
    "COMMIT",
    "sync",
  ]);
});

test("a write that needs no sync waits only for the sync of a write in the same transaction", async () => {
  const connection = fakeConnection();
  let syncs = 0;
  const sync = async (): Promise<void> => void (syncs += 1);
  const queue = new WriteQueue(connection, { ...FILES, sync });
  expect(await queue.write(() => "number", 0, false)).toBe("number");
  expect([syncs, connection.log.at(-1)]).toEqual([0, "COMMIT"]);
  await Promise.all([queue.write(() => 1, 0, false), queue.write(() => 2)]);
  expect(syncs).toBe(1);
});

test("a failed sync beside the event loop refuses its writes, those that wait, and all later ones", async () => {
  const connection = fakeConnection();
  const failed = new UserError("store-unusable", "EIO");
  const sync = Promise.withResolvers<void>();
  const queue = new WriteQueue(connection, { ...FILES, sync: () => sync.promise });
  const first = queue.write(() => 1);
  await vi.waitFor(() => expect(connection.log).toContain("COMMIT"));
  const waiting = queue.write(() => 2);
  sync.reject(failed);
  const results = await Promise.allSettled([first, waiting]);
  expect(results).toEqual([1, 2].map(() => ({ status: "rejected", reason: failed })));
  await expect(queue.write(() => 3)).rejects.toBe(failed);
  expect(connection.log.filter((sql) => sql === "BEGIN IMMEDIATE")).toHaveLength(1);
  await queue.close();
});
