/** Originals that are kept on a server, and written again. */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";
import { createTestServer } from "../../../test/support/test-server.ts";

const world = await createTestServer({ settings: { keptFileBytesMax: 100 } });
const program = createFakeProgram();
const url = await world.server.listen();
const place = ["--url", url, "--key", await world.makeKey("read", "write")];
afterAll(() => world.server.close());

function writeRows(count: number): string {
  const file = path.join(temporaryDirectory(), "results.jtl");
  const row = "1700000000000,5,b,true\n";
  writeFileSync(file, `timeStamp,elapsed,label,success\n${row.repeat(count)}`);
  return file;
}

test("an original has the name of its file without the path, and is exported by it", async () => {
  const file = writeRows(1);
  await program.run(["import", file, "--id", "small", "--keep-file", ...place]);
  const { out } = await program.run(["attachments", "list", "small", ...place]);
  expect(out).toMatch(/^\S+ +original +55 B .* results\.jtl$/m);
  expect(out).not.toContain(path.dirname(file));
  const output = path.join(temporaryDirectory(), "exported.jtl");
  await program.run(["export", "small", "--file", "results.jtl", "-o", output, ...place]);
  expect(readFileSync(output)).toEqual(readFileSync(file));
});

test("an import whose original the server refuses says why, and leaves nothing", async () => {
  const words = ["import", writeRows(20), "--id", "large", "--keep-file"];
  const { exitCode, error } = await program.run([...words, ...place]);
  expect(error).toMatch(/cannot keep "\S*results\.jtl": expected at most 100 bytes/);
  expect(exitCode).toBe(2);
  expect(await world.store.loadTests.find("large")).toBeUndefined();
});

test("exporting an original that was not kept says how to keep it", async () => {
  await program.run(["import", writeRows(2), "--id", "plain", ...place]);
  const { exitCode, error } = await program.run(["export", "plain", "--file", "-o", "-", ...place]);
  expect([exitCode, error]).toEqual([
    1,
    "error: the run has no original: import the file again with --keep-file\n",
  ]);
});
