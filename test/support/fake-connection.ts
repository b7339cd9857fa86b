import type { WrittenFiles } from "../../src/store/sqlite/file/write-queue.ts";

/** Returns a connection that records statements and fails where `fail` returns an error. */
export function fakeConnection(fail: (sql: string) => Error | undefined = () => undefined) {
  const log: string[] = [];
  let isTransaction = false;
  return {
    log,
    get isTransaction() {
      return isTransaction;
    },
    exec(sql: string) {
      log.push(sql);
      const error = fail(sql);
      if (error !== undefined) throw error;
      if (sql === "BEGIN IMMEDIATE") isTransaction = true;
      if (sql === "COMMIT" || sql === "ROLLBACK") isTransaction = false;
    },
    endTransaction() {
      isTransaction = false;
    },
  };
}

/** Files that are always in place; every sync ends at once. */
export const FILES: WrittenFiles = { sync: async () => undefined, check: () => undefined };
