import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { storeConforms } from "../../../test/conformance/store.ts";
import { openSqliteStore } from "./store.ts";

storeConforms("sqlite", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "tachograph-store-"));
  const store = await openSqliteStore(path.join(directory, "store.db"), { now: () => 1_000_000 });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return store;
});
