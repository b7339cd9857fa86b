import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const program = createFakeProgram();
let file = "";

/** 20 s with a request each, the last ten failed. */
beforeAll(async () => {
  file = path.join(await mkdtemp(path.join(tmpdir(), "tachograph-follow-checked-")), "run.jtl");
  const rows = Array.from(
    { length: 20 },
    (_, second) => `${1_700_000_000_000 + second * 1000},100,home,${second < 10}\n`,
  );
  await writeFile(file, `timeStamp,elapsed,label,success\n${rows.join("")}`);
});

afterAll(() => rm(path.dirname(file), { recursive: true }));

async function follow(id: string, ...flags: string[]) {
  return program.run(["import", file, "--follow", "--id", id, ...flags]);
}

test("a followed file that ends is checked as a whole, with its windows", async () => {
  const kept = await follow("kept", "--fail-if", "p95 > 1s", "--fail-if", "errors > 60%");
  expect([kept.exitCode, kept.error]).toEqual([0, `following ${file} into run kept\n`]);
  expect(kept.out).toMatch(/^ok +errors > 60% +50 %/m);
  const broken = await follow("broken", "--fail-if", "errors > 90% over 4s");
  expect(broken.exitCode).toBe(4);
  expect(broken.out).toContain("20 requests, 10 failed");
  expect(broken.out).toMatch(/^FAILED +errors > 90% over 4s +100 %, 4 of 4 requests/m);
});

test("without --id, the new run is checked", async () => {
  const { exitCode, out } = await program.run([
    "import",
    file,
    "--follow",
    "--fail-if",
    "p50 > 1s",
  ]);
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^ok +p50 > 1s +100 ms/m);
});

test.each([
  [["--fail-if", "p95 > 1s"]],
  [["--follow", "--stop-pid", "7"]],
  [["--stop-command", "true"]],
])("%j lacks a flag", async (flags) => {
  const { exitCode, error } = await program.run(["import", file, ...flags]);
  expect(exitCode).toBe(2);
  expect(error).toContain("--stop-pid: expected --follow and --fail-if");
});

test.each(["p95 grows > 10%", "p95 changed"])(
  "%s is refused before anything is read: there is nothing to compare with",
  async (limit) => {
    const { exitCode, error } = await follow("relative", "--fail-if", limit);
    expect(exitCode).toBe(2);
    expect(error).toBe(
      `error: --fail-if: "${limit}" compares with other runs, which --follow does not: use tachograph check afterwards\n`,
    );
    expect((await program.run(["tests", "show", "relative"])).exitCode).toBe(1);
  },
);

test("a mistake in a threshold is shown before anything is read", async () => {
  const { exitCode, error } = await follow("mistaken", "--fail-if", "p95 grew > 1s");
  expect(exitCode).toBe(2);
  expect(error).toContain("grows");
  expect(error).not.toContain("following");
});
