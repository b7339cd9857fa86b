import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-export-"));

afterAll(() => rmSync(folder, { recursive: true }));

const JTL =
  "timeStamp,elapsed,label,responseCode,responseMessage,success,bytes,grpThreads,allThreads,Hostname\n" +
  "1700000000000,20,GET /,200,OK,true,100,2,2,a\n" +
  "1700000000500,40,GET /,503,Busy,false,5,2,3,a\n" +
  "1700000001000,30,购物车,200,OK,true,70,1,1,b\n";

test("an exported run has the same answers when it is imported again", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "one.parquet");
  const exported = await program.run(["export", "one", "-o", file]);
  expect(exported).toMatchObject({ exitCode: 0, out: "" });
  expect(exported.error).toContain("one.parquet: ");
  expect(readdirSync(folder)).toEqual(["one.parquet"]);
  expect(await program.run(["import", file, "--id", "two"])).toMatchObject({ exitCode: 0 });
  for (const words of [
    ["metrics", "--filter", "GET", "--format", "csv"],
    ["metrics", "--filter", "购物车"],
    ["summary", "--json"],
    ["failures", "--json"],
  ]) {
    const [command = "", ...flags] = words;
    const one = await program.run([command, "one", ...flags]);
    expect(one.out.length).toBeGreaterThan(100);
    expect(await program.run([command, "two", ...flags])).toEqual(one);
  }
});

test("an unknown run leaves an existing file alone", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "kept.parquet");
  await program.run(["export", "one", "-o", file]);
  const before = statSync(file).size;
  const { exitCode, error } = await program.run(["export", "none", "-o", file]);
  expect([exitCode, error]).toEqual([1, 'error: there is no load test "none"\n']);
  expect(statSync(file).size).toBe(before);
  expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
});

test("a file that cannot be written is named", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "no", "such.parquet");
  const { exitCode, error } = await program.run(["export", "one", "-o", file]);
  expect(exitCode).toBe(2);
  expect(error).toMatch(/^error: --output: cannot write ".*such\.parquet": ENOENT/);
});

test("a Parquet file cannot be followed", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "one"], JTL);
  const file = path.join(folder, "live.parquet");
  await program.run(["export", "one", "-o", file]);
  const { exitCode, error } = await program.run(["import", "--follow", file, "--id", "live"]);
  expect(exitCode).toBe(2);
  expect(error).toContain("tachograph-parquet cannot be followed: import it when it is complete");
});
