import { expect, test } from "vitest";
import { UserError } from "../../../model/errors.ts";
import { ClickHouseError, storeError } from "./clickhouse-error.ts";

/** Error codes: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
test.each([
  [undefined, "passing", "store-unreachable"],
  [57, "passing", "store-unusable"],
  [60, "elsewhere", "store-unusable"],
  [81, "elsewhere", "store-unusable"],
  [16, "elsewhere", "store-unusable"],
  [497, "elsewhere", "store-unusable"],
  [516, "elsewhere", "store-unusable"],
  [40, "elsewhere", "damaged-store"],
  [246, "elsewhere", "damaged-store"],
  [33, "elsewhere", "damaged-store"],
  [243, "passing", "storage-full"],
  [202, "passing", "busy"],
  [241, "passing", "busy"],
  [252, "passing", "busy"],
  [159, "passing", "busy"],
  [209, "passing", "store-unreachable"],
  [210, "passing", "store-unreachable"],
  [225, "passing", "store-unreachable"],
  [242, "passing", "store-unreachable"],
  [279, "passing", "store-unreachable"],
  [285, "passing", "store-unreachable"],
  [286, "passing", "store-unreachable"],
  [319, "passing", "store-unreachable"],
  [425, "passing", "store-unreachable"],
  [999, "passing", "store-unreachable"],
])("exception %s has the remedy %s and becomes %s", (code, remedy, meaning) => {
  const error = new ClickHouseError("http://a: it failed", code);
  expect(error.remedy).toBe(remedy);
  const thrown = storeError(error, "read the store");
  expect(thrown).toMatchObject({ code: meaning, cause: error });
  expect((thrown as Error).message).toMatch(/^cannot read the store: http:\/\/a: it failed/);
});

test.each([
  [62, "final"],
  [53, "final"],
  [395, "elsewhere"],
])("exception %d is a bug of ours and is not translated", (code, remedy) => {
  const error = new ClickHouseError("http://a: it failed", code);
  expect(error.remedy).toBe(remedy);
  expect(storeError(error, "read the store")).toBe(error);
});

test("recognises a full disk of old servers by the message", () => {
  const message = "Code: 75, e.displayText() = DB::ErrnoException: No space left on device";
  expect(storeError(new ClickHouseError(message, 75), "write")).toMatchObject({
    code: "storage-full",
  });
});

test("the error about a missing table names the migrate command", () => {
  const { message } = storeError(new ClickHouseError("no table", 60), "read") as UserError;
  expect(message).toContain("tachograph migrate");
});

test("other errors are not translated", () => {
  const error = new TypeError("x");
  expect(storeError(error, "read")).toBe(error);
});
