import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_HTTP_SETTINGS } from "../src/http/settings.ts";
import { createTestServer } from "./support/test-server.ts";

const docs = path.join(import.meta.dirname, "../docs");
const rows = readFileSync(path.join(docs, "internals/threats.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| T\d+ /.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, id = "", threat = "", answer = "", shown = ""]) => ({ id, threat, answer, shown }));

/** Tests, shared test cases and fault runs. */
const TEST_FILE =
  /(\.test\.ts|\.browser\.ts|test\/conformance\/.*\.ts|test\/faults\/runs\/.*\.ts|test\/deploy\/image\/run\.ts)$/;

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

/** Rows of requests: patterns of a method and a path, who may send them, and what limits them. */
const requests = readFileSync(path.join(docs, "security.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| `[A-Z*]+ \//.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, patterns = "", key = "", limits = ""]) => ({
    patterns: codesIn(patterns).map((text) => new RegExp(`^${text.replaceAll("*", ".*")}$`)),
    key,
    limits,
  }));

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

test("docs/security.md says of each request who may send it, and names settings that exist", async () => {
  const { server } = await createTestServer();
  const found = server.routes.map(({ method, path: at, scope }) => {
    const row = requests.find(({ patterns }) =>
      patterns.some((each) => each.test(`${method} ${at.replaceAll(/\{\w+\}/g, "x")}`)),
    );
    return [`${method} ${at}`, row?.key, scope === undefined ? "none" : scope] as const;
  });
  const wrong = found.filter(([, key, scope]) => key?.replaceAll("`", "") !== scope);
  expect(wrong).toEqual([]);
  expect(requests.map(({ limits }) => limits)).not.toContain("");
  const settings = requests.flatMap(({ limits }) => codesIn(limits));
  expect(settings.filter((name) => !(name in DEFAULT_HTTP_SETTINGS))).toEqual([]);
});
