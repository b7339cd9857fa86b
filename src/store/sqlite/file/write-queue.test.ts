import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { UserError } from "../../../model/errors.ts";
import { FILES, fakeConnection } from "../../../../test/support/fake-connection.ts";
import { WriteQueue } from "./write-queue.ts";

function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });
}

test("concurrent writes share a transaction and resolve after its commit", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const log: string[] = [];
  const writes = [1, 2, 3].map((number) =>
    queue
      .write(() => void connection.log.push(`write ${number}`))
      .then(() => log.push(connection.log.at(-1) ?? "")),
  );
  await Promise.all(writes);
  expect(connection.log.filter((sql) => sql === "COMMIT")).toHaveLength(1);
  expect(log).toEqual(["COMMIT", "COMMIT", "COMMIT"]);
});

test("writes wait for what they start after", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.startAfter(promise);
  const write = queue.write(() => "written");
  await delay(5);
  expect(connection.log).toEqual([]);
  resolve();
  expect(await write).toBe("written");
});

test("all writes fail with the reason why they may not start", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const { promise, reject } = Promise.withResolvers<void>();
  queue.startAfter(promise);
  const writes = Promise.allSettled([queue.write(() => 1), queue.write(() => 2)]);
  reject(new UserError("damaged-store", "a page is missing"));
  for (const write of await writes) {
    expect(write).toMatchObject({ status: "rejected", reason: { code: "damaged-store" } });
  }
  await expect(queue.write(() => 3)).rejects.toThrow("a page is missing");
  expect(connection.log).toEqual([]);
  await queue.close();
});

test("a transaction ends at 8 MiB, and the next write starts another one", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const mebibyte = 1024 ** 2;
  await Promise.all([5, 5, 5].map((size) => queue.write(() => size, size * mebibyte)));
  expect(connection.log.filter((sql) => sql === "COMMIT")).toHaveLength(2);
});

test("a write that throws is rolled back alone", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const [first, second] = await Promise.allSettled([
    queue.write(() => {
      throw new Error("refused");
    }),
    queue.write(() => "written"),
  ]);
  expect(first).toMatchObject({ status: "rejected", reason: { message: "refused" } });
  expect(second).toEqual({ status: "fulfilled", value: "written" });
  expect(connection.log).toContain("ROLLBACK TO one_write; RELEASE one_write");
});

test.each([
  ["a full disk", 13, "database or disk is full", "storage-full"],
  ["a write that the disk refuses", 778, "disk I/O error", "store-unusable"],
])(
  "%s fails all writes of the transaction, and the next ones can succeed",
  async (_, errcode, message, code) => {
    let isFailing = true;
    const connection = fakeConnection((sql) =>
      sql === "COMMIT" && isFailing ? sqliteError(errcode, message) : undefined,
    );
    const queue = new WriteQueue(connection, FILES);
    const results = await Promise.allSettled([queue.write(() => 1), queue.write(() => 2)]);
    for (const result of results) {
      expect(result).toMatchObject({ status: "rejected", reason: { code } });
    }
    expect(connection.log.at(-1)).toBe("ROLLBACK");
    isFailing = false;
    expect(await queue.write(() => 3)).toBe(3);
  },
);

test("a disk that fills up during a write rolls back the whole transaction", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const results = await Promise.allSettled([
    queue.write(() => 1),
    queue.write(() => {
      connection.endTransaction();
      throw sqliteError(13, "database or disk is full");
    }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(connection.log).not.toContain("COMMIT");
});

test("nothing is written after a failed sync", async () => {
  const connection = fakeConnection((sql) =>
    sql === "COMMIT" ? sqliteError(1034, "disk I/O error") : undefined,
  );
  const queue = new WriteQueue(connection, FILES);
  await expect(queue.write(() => 1)).rejects.toMatchObject({ code: "store-unusable" });
  const before = connection.log.length;
  await expect(queue.write(() => 2)).rejects.toMatchObject({ code: "store-unusable" });
  expect(connection.log).toHaveLength(before);
});

test("a write waits for the lock of another process", async () => {
  let refusals = 3;
  const connection = fakeConnection((sql) =>
    sql === "BEGIN IMMEDIATE" && refusals-- > 0 ? sqliteError(5, "locked") : undefined,
  );
  expect(await new WriteQueue(connection, FILES).write(() => "written")).toBe("written");
  expect(connection.log.filter((sql) => sql === "BEGIN IMMEDIATE")).toHaveLength(4);
});

test("a closed queue accepts nothing, and close waits for work in progress", async () => {
  const queue = new WriteQueue(fakeConnection(), FILES);
  const begun = queue.begin(async () => {
    await Promise.resolve();
    return queue.write(() => "written");
  });
  const closed = queue.close();
  await expect(queue.begin(async () => "late")).rejects.toMatchObject({ code: "store-unusable" });
  await closed;
  expect(await begun).toBe("written");
  await expect(queue.write(() => "late")).rejects.toMatchObject({ code: "store-unusable" });
});

/** Replaces the clock of the queue with the returned one. */
function stoppedClock(): { ms: number } {
  const clock = { ms: 1000 };
  const spy = vi.spyOn(performance, "now").mockImplementation(() => clock.ms);
  onTestFinished(() => spy.mockRestore());
  return clock;
}

test.each([
  [19.9, 1],
  [20, 2],
])("after %d ms of writing, two writes take %d transactions", async (ms, transactions) => {
  const clock = stoppedClock();
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  await Promise.all([queue.write(() => (clock.ms += ms)), queue.write(() => 2)]);
  expect(connection.log.filter((sql) => sql === "COMMIT")).toHaveLength(transactions);
});

test.each([
  [8 * 1024 ** 2 - 1, 1],
  [8 * 1024 ** 2, 2],
])("after %d bytes, two writes take %d transactions", async (bytes, transactions) => {
  stoppedClock();
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  await Promise.all([queue.write(() => 1, bytes), queue.write(() => 2)]);
  expect(connection.log.filter((sql) => sql === "COMMIT")).toHaveLength(transactions);
});

test("each write gets its own result, and the statements are in order", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  expect(await Promise.all([queue.write(() => "a"), queue.write(() => "b")])).toEqual(["a", "b"]);
  expect(connection.log).toEqual([
    "BEGIN IMMEDIATE",
    "SAVEPOINT one_write",
    "RELEASE one_write",
    "SAVEPOINT one_write",
    "RELEASE one_write",
    "COMMIT",
  ]);
});

test("a write waits at most 15 s for the lock", async () => {
  const clock = stoppedClock();
  let attempts = 0;
  const connection = fakeConnection((sql) => {
    if (sql !== "BEGIN IMMEDIATE") return undefined;
    attempts += 1;
    // The third attempt is at 15 s; the fourth is later.
    clock.ms = attempts < 3 ? 1000 : 16_000 + (attempts - 3);
    return sqliteError(5, "database is locked");
  });
  await expect(new WriteQueue(connection, FILES).write(() => 1)).rejects.toMatchObject({
    code: "busy",
    message: "cannot write to the store: database is locked",
  });
  expect(attempts).toBe(4);
});

test("if the files were moved, a committed write and all later ones are refused", async () => {
  const moved = new UserError("store-unusable", "the file was removed");
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, {
    ...FILES,
    check() {
      throw moved;
    },
  });
  await expect(queue.write(() => 1)).rejects.toBe(moved);
  await expect(queue.write(() => 2)).rejects.toBe(moved);
  expect(connection.log.filter((sql) => sql === "COMMIT")).toHaveLength(1);
});

test("if no transaction can begin, all waiting writes fail and none is run", async () => {
  const connection = fakeConnection((sql) =>
    sql === "BEGIN IMMEDIATE" ? sqliteError(10, "disk I/O error") : undefined,
  );
  const queue = new WriteQueue(connection, FILES);
  const run = vi.fn<() => number>();
  const results = await Promise.allSettled([queue.write(run), queue.write(run)]);
  for (const result of results) {
    expect(result).toMatchObject({
      status: "rejected",
      reason: { code: "store-unusable", message: "cannot write to the store: disk I/O error" },
    });
  }
  expect(run).not.toHaveBeenCalled();
  expect(connection.log).toEqual(["BEGIN IMMEDIATE"]);
});

test("a failed sync also fails the writes that wait for the next transaction", async () => {
  const failure = sqliteError(1034, "disk I/O error");
  const connection = fakeConnection((sql) => (sql === "COMMIT" ? failure : undefined));
  const queue = new WriteQueue(connection, FILES);
  const run = vi.fn<() => number>();
  const [first, second] = await Promise.allSettled([
    queue.write(() => 1, 8 * 1024 ** 2),
    queue.write(run),
  ]);
  expect(first).toMatchObject({ reason: { message: "cannot write to the store: disk I/O error" } });
  expect(second).toMatchObject({
    reason: {
      code: "store-unusable",
      message: "cannot write to the store: the disk failed before; restart to check it",
      cause: failure,
    },
  });
  expect(run).not.toHaveBeenCalled();
});

test("an error that ended the transaction causes no rollback", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  await queue
    .write(() => {
      connection.endTransaction();
      throw sqliteError(13, "database or disk is full");
    })
    .catch(() => undefined);
  expect(connection.log).not.toContain("ROLLBACK");
});

test("onIdle is called once, after the last write", async () => {
  const connection = fakeConnection();
  const queue = new WriteQueue(connection, FILES);
  const idle = Promise.withResolvers<void>();
  queue.onIdle = () => {
    connection.log.push("idle");
    idle.resolve();
  };
  await Promise.all([queue.write(() => 1, 8 * 1024 ** 2), queue.write(() => 2)]);
  await idle.promise;
  expect(connection.log.filter((sql) => sql === "idle")).toHaveLength(1);
  expect(connection.log.at(-1)).toBe("idle");
  expect(await queue.write(() => 3)).toBe(3);
});

test("close waits for failing work, and later writes say that the store is closed", async () => {
  const queue = new WriteQueue(fakeConnection(), FILES);
  const gate = Promise.withResolvers<never>();
  const begun = queue.begin(() => gate.promise);
  let isClosed = false;
  const closed = queue.close().then(() => (isClosed = true));
  await queue.write(() => "meanwhile");
  expect(isClosed).toBe(false);
  gate.reject(new Error("failed"));
  await expect(begun).rejects.toThrow("failed");
  await closed;
  await expect(queue.write(() => 1)).rejects.toThrow("cannot write to the store: it is closed");
});
