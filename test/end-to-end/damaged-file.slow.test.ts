import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { runTachograph, startTachograph } from "../support/run-tachograph.ts";
import { temporaryDirectory } from "../support/store-directory.ts";

const PAGE_BYTES = 4096;

test("a server of a large file with a broken page listens, names the page, and ends with 1", async () => {
  const data = temporaryDirectory();
  const made = await runTachograph(["keys", "create", "--name", "any", "--data", data]);
  expect(made.exitCode).toBe(0);
  const file = path.join(data, "tachograph.sqlite");
  const database = new DatabaseSync(file);
  database.exec(`WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
    INSERT INTO segments SELECT n, zeroblob(4000), NULL FROM numbers`);
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, PAGE_BYTES * 4000, PAGE_BYTES * 4002);
  writeFileSync(file, bytes);
  const server = startTachograph(["serve", "--port", "0", "--data", data]);
  await server.printed("Tachograph answers at ");
  const { exitCode, error } = await server.outcome;
  expect(exitCode).toBe(1);
  expect(error).toMatch(/^error: cannot open the store .*page 400\d.*; restore a backup/m);
});
