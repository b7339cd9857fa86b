import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFakeProgram, type FakeProgram } from "../../../../test/support/fake-program.ts";

const LABELS = [
  ["GET /users/1", 1],
  ["GET /users/2", 2],
  ["GET /users/33", 3],
  ["GET /users/4", 1],
  ["GET /users/{id}", 1],
  ["GET /dp/B07XJ8C8F5", 4],
  ["GET /dp/B07XJ8C8F6", 4],
  ["Login", 9],
] as const;

let folder = "";
let program: FakeProgram;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-labels-"));
  const file = path.join(folder, "run.csv");
  const rows = LABELS.flatMap(([label, requests]) =>
    Array.from({ length: requests }, () => `1700000000,100,${label}\n`),
  );
  await writeFile(file, `timestamp,elapsedMs,label\n${rows.join("")}`);
  program = createFakeProgram();
  await program.run(["import", file, "--id", "run"]);
});

afterAll(() => rm(folder, { recursive: true }));

test("labels are listed by requests, most first, up to the limit", async () => {
  const { out } = await program.run(["labels", "run", "--limit", "4"]);

  expect(out).toBe(
    "REQUESTS  LABEL\n9         Login\n4         GET /dp/B07XJ8C8F5\n4         GET /dp/B07XJ8C8F6\n" +
      "3         GET /users/33\n4 labels of 8 labels, 25 requests\n",
  );
});

test("labels that contain a text are listed as JSON", async () => {
  const { out } = await program.run(["labels", "run", "--search", "/dp/", "--json"]);

  expect(JSON.parse(out)).toEqual({
    labels: 2,
    requests: 8,
    most: [
      { label: "GET /dp/B07XJ8C8F5", requests: 4 },
      { label: "GET /dp/B07XJ8C8F6", requests: 4 },
    ],
  });
});

test("a preview shows what would be folded, and the command to fold it", async () => {
  const { out } = await program.run(["labels", "run", "--suggest"]);

  expect(out).toBe(
    "LABELS  REQUESTS  WOULD BE         FOR EXAMPLE\n" +
      "5       8         GET /users/{id}  GET /users/1  GET /users/2  GET /users/33\n" +
      "8 labels would be 4 labels:\n  tachograph import --group-urls FILE\n",
  );
});

test("rules can be previewed", async () => {
  const words = ["labels", "run", "--suggest", "--json", "--group", "/dp/*"];
  const { out } = await program.run(words);

  expect(JSON.parse(out)).toEqual({
    labels: 8,
    labelsLeft: 7,
    groups: [
      {
        label: "GET /dp/*",
        labels: 2,
        requests: 8,
        examples: ["GET /dp/B07XJ8C8F5", "GET /dp/B07XJ8C8F6"],
      },
    ],
  });
  const both = await program.run([
    ...words.slice(0, 3),
    "--limit",
    "1",
    ...words.slice(4),
    "--group-urls",
  ]);
  expect(both.out).toContain("5       8         GET /users/{id}");
  expect(both.out).toContain(
    "and 1 further group\n8 labels would be 3 labels:\n  tachograph import --group-urls --group '/dp/*' FILE\n",
  );
});

test("says so if nothing would be folded", async () => {
  const { out } = await program.run(["labels", "run", "--suggest", "--search", "Login"]);

  expect(out).toBe("none of 1 label would be folded\n");
});

test("an unknown load test and an invalid rule are errors", async () => {
  expect(await program.run(["labels", "none"])).toMatchObject({ exitCode: 1 });
  const { exitCode, error } = await program.run(["labels", "run", "--suggest", "--group", "x"]);
  expect(exitCode).toBe(2);
  expect(error).toContain('cannot use the rule "x"');
});
