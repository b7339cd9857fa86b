import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { codeBlocks } from "../examples/blocks.ts";
import { PROGRAM, startTachograph } from "../support/run-tachograph.ts";

const ROWS =
  "timeStamp,elapsed,label,success\n1700000000000,5,GET /cart,true\n1700000000500,7,GET /,false\n";

test("the steps of docs/backup.md give a store with the same answers and files", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [data, restored, results] = ["data", "restored", "a.jtl"].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  writeFileSync(results, ROWS);
  writeFileSync(path.join(folder, "note.txt"), "5 nodes");
  expect(await run(data, "import", results, "--id", "release-42")).toMatchObject({ exitCode: 0 });
  const attach = ["attachments", "add", "release-42", path.join(folder, "note.txt")];
  expect(await run(data, ...attach)).toMatchObject({ exitCode: 0 });

  const block = codeBlocks().find(({ name }) =>
    name.startsWith("docs/backup.md: npx tachograph backup"),
  );
  const steps = block?.text
    .replaceAll("npx tachograph", `"${process.execPath}" "${PROGRAM}"`)
    .replaceAll("/backups/", `${folder}/`)
    .replaceAll("/var/lib/tachograph", restored);
  const options = { env: { ...process.env, TACHOGRAPH_DATA: data }, encoding: "utf8" } as const;
  const execute = () => execFileSync("sh", ["-ec", steps ?? "false"], options);
  execute();

  const summary = ["summary", "release-42", "--json"];
  const own = await run(data, ...summary);
  expect(own).toMatchObject({ exitCode: 0, error: "", out: expect.stringContaining('"count":2') });
  expect(await run(restored, ...summary)).toEqual(own);
  const got = path.join(folder, "got.txt");
  await run(restored, "attachments", "get", "release-42", "note.txt", "-o", got);
  expect(existsSync(got) && readFileSync(got, "utf8")).toBe("5 nodes");
  // What the page says of what comes again.
  await run(restored, "import", results, "--id", "release-42");
  expect(await run(restored, ...summary)).toEqual(own);
  expect(execute).toThrow("already exists");
});

async function run(data: string, ...words: readonly string[]) {
  const { exitCode, out, error } = await startTachograph([...words, "--data", data]).outcome;
  return { exitCode, out, error };
}
