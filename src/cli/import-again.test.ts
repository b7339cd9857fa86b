/** A file that is imported twice without an id. */

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const folder = testFolder();
const world = await createTestServer();
const url = await world.server.listen();
const key = await world.makeKey("read", "write");

afterAll(() => world.server.close());

async function file(name: string, second: number): Promise<string> {
  const location = path.join(folder, name);
  await writeFile(location, `${HEADER}${second}000,5,a,true,1\n${second}900,7,a,true,1\n`);
  return location;
}

describe.each([
  { where: "in a local store", server: [], firstSecond: 1_790_000_000 },
  { where: "on a server", server: ["--url", url, "--key", key], firstSecond: 1_780_000_000 },
])("$where", ({ server, firstSecond }) => {
  const program = createFakeProgram();
  const ids = async (): Promise<readonly string[]> => {
    const { out } = await program.run(["tests", "list", "--json", ...server]);
    return (JSON.parse(out) as { id: string }[]).map(({ id }) => id).filter((id) => id !== "run");
  };

  test("it is recognised and its run is named; --again imports it", async () => {
    const results = await file("a.jtl", firstSecond);
    await program.run(["import", results, ...server]);
    expect(await ids()).toEqual(["new-1"]);
    const again = await program.run(["import", results, ...server]);
    expect(again).toMatchObject({ exitCode: 0, error: "" });
    expect(again.out).toContain("already imported into this run: nothing changed");
    expect(again.out).toContain(`the content is in load test "new-1" already, as "${results}"`);
    expect(again.out).toContain("  run new-1\n");
    expect(await ids()).toEqual(["new-1"]);
    await program.run(["import", results, "--again", ...server]);
    expect((await ids()).toSorted()).toEqual(["new-1", "new-3"]);
    await program.run(["import", results, "--id", "own", ...server]);
    expect((await ids()).toSorted()).toEqual(["new-1", "new-3", "own"]);
  });

  test("another file of the same command is imported", async () => {
    const known = await file("known.jtl", firstSecond);
    const fresh = await file("fresh.jtl", firstSecond + 50);
    const { out, exitCode } = await program.run([
      "import",
      known,
      fresh,
      fresh,
      "--json",
      ...server,
    ]);
    expect(exitCode).toBe(0);
    const reports = JSON.parse(out) as { loadTestId: string; alreadyImported: boolean }[];
    expect(reports.map(({ loadTestId, alreadyImported }) => [loadTestId, alreadyImported])).toEqual(
      [
        ["new-1", true],
        ["new-4", false],
        ["new-4", true],
      ],
    );
  });

  test("a split file is recognised as one file", async () => {
    const rows = [firstSecond + 100, firstSecond + 9000].map(
      (second) => `${second}000,5,a,true,1\n`,
    );
    const results = path.join(folder, "split.jtl");
    await writeFile(results, HEADER + rows.join(""));
    const words = ["import", results, "--split-gap", "1h", "--json", ...server];
    await program.run(words);
    const before = await ids();
    expect(before.filter((id) => id.startsWith("new-5"))).toHaveLength(2);
    const again = await program.run(words);
    expect(JSON.parse(again.out)).toMatchObject({ loadTestId: "new-5-1", alreadyImported: true });
    expect(await ids()).toEqual(before);
  });
});
