import path from "node:path";
import { expect, test } from "vitest";
import { breakLargeFile } from "../support/broken-page.ts";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { temporaryDirectory } from "../support/store-directory.ts";

test("a server of a large file with a broken page listens, names the page, and ends with 1", async () => {
  const data = temporaryDirectory();
  const made = await runTachograph(["keys", "create", "--name", "any", "--data", data]);
  expect(made.exitCode).toBe(0);
  breakLargeFile(path.join(data, "tachograph.sqlite"));
  const server = startTachograph(["serve", "--port", "0", "--data", data]);
  await server.printed("Tachograph answers at ");
  const { exitCode, error } = await server.outcome;
  expect(exitCode).toBe(1);
  expect(error).toMatch(/^error: cannot open the store .*page 400\d.*; restore a backup/m);
});
