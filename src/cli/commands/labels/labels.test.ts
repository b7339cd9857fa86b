import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createFakeProgram, type FakeProgram } from "../../../../test/support/fake-program.ts";
import { testFolder } from "../../../../test/support/test-folder.ts";

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

const folder = testFolder();
let program: FakeProgram;

beforeAll(async () => {
  const file = path.join(folder, "run.csv");
  const rows = LABELS.flatMap(([label, requests]) =>
    Array.from({ length: requests }, () => `1700000000,100,${label}\n`),
  );
  await writeFile(file, `timestamp,elapsedMs,label\n${rows.join("")}`);
  program = createFakeProgram();
  await program.run(["import", file, "--id", "run"]);
});

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

test("an unknown load test is an error", async () => {
  expect(await program.run(["labels", "none"])).toMatchObject({ exitCode: 1 });
});
