import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { temporaryDirectory } from "../../test/support/store-directory.ts";

const RESULTS = "timeStamp,elapsed,label,success\n1700000000000,5,a,true\n";

test("a command works in the given project, with the ids of the project", async () => {
  const program = createFakeProgram();
  const file = path.join(temporaryDirectory(), "r.jtl");
  writeFileSync(file, RESULTS);
  for (const project of [[], ["--project", "web"]]) {
    const { exitCode } = await program.run(["import", file, "--id", "run", ...project]);
    expect(exitCode).toBe(0);
  }
  await program.run(["tests", "rename", "run", "of web", "--project", "web"]);
  expect((await program.run(["tests", "list"])).out).not.toContain("of web");
  expect((await program.run(["tests", "list", "--project", "web"])).out).toContain("of web");
  expect((await program.run(["summary", "run", "--project", "other"])).error).toContain('"run"');
  await program.run(["tests", "delete", "run"]);
  expect((await program.run(["summary", "run", "--project", "web"])).exitCode).toBe(0);
});

test("a store whose runs are all in projects says so, until a project is given", async () => {
  const program = createFakeProgram();
  const file = path.join(temporaryDirectory(), "r.jtl");
  writeFileSync(file, RESULTS);
  await program.run(["import", file, "--id", "run", "--project", "web"]);
  for (const words of [["tests", "list"], ["keys", "list"], ["audit"], ["summary", "run"]]) {
    const note = "note: all runs are in projects (web); --project NAME opens one\n";
    expect((await program.run(words)).error).toContain(note);
    expect((await program.run([...words, "--project", "web"])).error).toBe("");
  }
  await program.run(["import", file, "--id", "run"]);
  expect((await program.run(["tests", "list"])).error).toBe("");
});

test("keys are made and listed by project", async () => {
  const program = createFakeProgram();
  await program.run(["keys", "create", "--name", "ci", "--project", "web"]);
  await program.run(["keys", "create", "--name", "me"]);
  expect((await program.run(["keys", "list"])).out).not.toContain("ci ");
  const { out } = await program.run(["keys", "list", "--json", "--project", "web"]);
  expect(JSON.parse(out)).toMatchObject([{ name: "ci", project: "web" }]);
});

test.each([
  [["tests", "list", "--project", "a/b"], "as a project"],
  [["tests", "list", "--project", ".."], "as a project"],
  [["tests", "list", "--project", "a", "--url", "http://x", "--key", "k"], "leave out --project"],
  [["serve", "--keep-in", "web:days"], "PROJECT:days=N"],
  [["serve", "--init-key-project", "a b"], "as a project"],
])("%j is refused", async (words, message) => {
  const { exitCode, error } = await createFakeProgram().run(words);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});

test("serve accepts the limits of projects", async () => {
  const program = createFakeProgram();
  const limits = "web:days=30,web:tests=5,api:seconds-days=7";
  await program.run([
    "serve",
    "--keep-in",
    limits,
    "--init-key-file",
    "k",
    "--init-key-project",
    "web",
  ]);
  expect(program.served).toMatchObject([{ initKey: { file: "k", project: "web" } }]);
  expect([...(program.served[0]?.retentionIn ?? [])]).toEqual([
    ["web", { keepDays: 30, keepTests: 5 }],
    ["api", { keepSecondsDays: 7 }],
  ]);
});
