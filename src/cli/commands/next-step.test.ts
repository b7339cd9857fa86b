import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";
import { lockForServer } from "../../store/sqlite/file/server-lock.ts";
import { createTestServer } from "../../../test/support/test-server.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const FIRST = "1700000000000,100,cart,true,10\n";

const world = await createTestServer();
const url = await world.server.listen();
afterAll(() => world.server.close());

test.each([
  [[], "tachograph summary of-7\n"],
  [["--data", "a b's"], String.raw`tachograph summary of-7 --data 'a b'\''s'` + "\n"],
  [["--project", "web"], "tachograph summary of-7 --project web\n"],
])("import %j says how to look at the results", async (flags, next) => {
  const { out } = await createFakeProgram().run(
    ["import", "-", "--id", "of-7", ...flags],
    HEADER + FIRST,
  );
  expect(out.slice(out.indexOf("Next: "))).toBe(`Next: ${next}`);
});

test("an import that npx started says how to look at the results with npx", async () => {
  const npx = { npm_command: "exec" };
  const words = ["import", "-", "--id", "of-7"];
  const { out } = await createFakeProgram().run(words, HEADER + FIRST, npx);
  expect(out).toContain("Next: npx tachograph summary of-7\n");
});

test("an import into the directory of a running server names the page, too", async () => {
  const directory = temporaryDirectory();
  const lock = lockForServer(directory, 1);
  lock.noteAddress("http://127.0.0.1:8013");
  const words = ["import", "-", "--id", "of-7", "--data", directory];
  const { out } = await createFakeProgram().run(words, HEADER + FIRST);
  lock.release();
  expect(out).toMatch(
    /Next: tachograph summary of-7 .*\n {6}http:\/\/127\.0\.0\.1:8013\/t\/of-7\n$/,
  );
});

test("an import to a server names the page of the load test", async () => {
  const key = await world.makeKey("read", "write");
  const words = ["import", "-", "--id", "of-7", "--url", `${url}/`, "--key", key];
  const { exitCode, out } = await createFakeProgram().run(words, HEADER + FIRST);
  expect(exitCode).toBe(0);
  expect(out).toContain(`Next: tachograph summary of-7 --url ${url}/\n      ${url}/t/of-7\n`);
});
