import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const docs = path.join(import.meta.dirname, "../docs");
const rows = readFileSync(path.join(docs, "internals/threats.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| T\d+ /.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, id = "", threat = "", answer = "", shown = ""]) => ({ id, threat, answer, shown }));

/** Tests, shared test cases and fault runs. */
const TEST_FILE =
  /(\.test\.ts|\.browser\.ts|test\/conformance\/.*\.ts|test\/faults\/runs\/.*\.ts)$/;

test("docs/internals/threats.md has the threats T1 to T42, each once and in order", () => {
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 42 }, (_, n) => `T${n + 1}`));
});

test.each(rows)(
  "$id: $threat: has an answer, and a test or a statement that there is none",
  (row) => {
    expect(row.answer).not.toBe("");
    const files = [...row.shown.matchAll(/\]\(([^)#]+)/g)].map(([, file = ""]) => file);
    const tests = files.filter((file) => TEST_FILE.test(file));
    expect(tests.length > 0 || row.shown.startsWith("no automated test: ")).toBe(true);
    expect(tests.filter((file) => !existsSync(path.join(docs, "internals", file)))).toEqual([]);
  },
);
