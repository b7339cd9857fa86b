import { symlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { UserError } from "../../../model/errors.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";

test("a file that cannot be checked is refused with an error of the store", async () => {
  const directory = temporaryDirectory();
  symlinkSync("store.db", path.join(directory, "store.db"));
  const opening = openStoreIn(directory);
  await expect(opening).rejects.toMatchObject({ code: "store-unusable" });
});

test("a store is not opened before a check that is under way has ended well", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  let endings = 0;
  const check = { isWhole: promise, giveUp: async () => (endings += 1) };
  const opening = openStoreIn(temporaryDirectory(), { check });
  const first = await Promise.race([opening, delay(200, "waits")]);
  reject(new UserError("damaged-store", "a page is missing"));
  await expect(opening).rejects.toMatchObject({ code: "damaged-store" });
  expect([first, endings]).toEqual(["waits", 1]);
});
