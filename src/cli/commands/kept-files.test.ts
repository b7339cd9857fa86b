import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";
import { createTestServer } from "../../../test/support/test-server.ts";

const world = await createTestServer({ settings: { keptFileBytesMax: 100 } });
const program = createFakeProgram();
let place: string[] = [];

beforeAll(async () => {
  place = ["--url", await world.server.listen(), "--key", await world.makeKey("read", "write")];
});
afterAll(() => world.server.close());

function writeRows(count: number): string {
  const file = path.join(temporaryDirectory(), "results.jtl");
  const row = "1700000000000,5,b,true\n";
  writeFileSync(file, `timeStamp,elapsed,label,success\n${row.repeat(count)}`);
  return file;
}

test("an import whose original the server refuses says why, and leaves nothing", async () => {
  const words = ["import", writeRows(20), "--id", "large", "--keep-file"];
  const { exitCode, error } = await program.run([...words, ...place]);
  expect(error).toMatch(/cannot keep "\S*results\.jtl": expected at most 100 bytes/);
  expect(exitCode).toBe(2);
  expect(await world.store.loadTests.find("large")).toBeUndefined();
});
