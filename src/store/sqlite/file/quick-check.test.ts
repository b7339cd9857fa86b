import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";

test("a file that cannot be checked is refused with an error of the store", async () => {
  const directory = temporaryDirectory();
  symlinkSync("store.db", path.join(directory, "store.db"));
  const opening = openStoreIn(directory);
  await expect(opening).rejects.toMatchObject({ code: "store-unusable" });
});
