import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

/** The rows of a file in our own format: label, ms, role, transaction, group. */
function fileOf(rows: readonly string[]): string {
  const lines = rows.map((row, index) => `${1_790_000_000 + index},true,${row}\n`);
  return `timestamp,success,label,elapsedMs,facet.transaction,facet.group\n${lines.join("")}`;
}

async function summary(rows: readonly string[], ...flags: readonly string[]) {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], fileOf(rows));
  return program.run(["summary", "run", ...flags]);
}

/** Requests and endpoint of each row, by label. */
const rowsIn = (out: string) =>
  out
    .split("\n")
    .filter((line) => /^\d/.test(line))
    .map((line) => [line.split(" ")[0], line.slice(out.indexOf("ENDPOINT"))]);

const GROUPS = [
  "Pay / POST /card,300,,Pay",
  "GET /cart,100,,Pay",
  "GET /cart,200,,Browse",
  "GET /cart,100,,",
];

test("a tree lists endpoints below their groups, which have all their requests", async () => {
  const { out } = await summary(GROUPS, "--tree");
  expect(rowsIn(out)).toEqual([
    ["4", "(all)"],
    ["1", "Browse"],
    ["1", "  GET /cart"],
    ["2", "Pay"],
    ["1", "  GET /cart"],
    ["1", "  POST /card"],
    ["1", "GET /cart"],
  ]);
  expect(out).toMatch(/^2 .* 200 ms .* Pay$/m);
});

test("transactions come before groups, and any facet can be the tree", async () => {
  const rows = ["GET /a,1,Buy,Pay", "GET /b,1,,Pay"];
  expect(rowsIn((await summary(rows, "--tree")).out).slice(1)).toEqual([
    ["1", "Buy"],
    ["1", "  GET /a"],
    ["1", "GET /b"],
  ]);
  expect(rowsIn((await summary(rows, "--tree", "--by", "group")).out).slice(1)).toEqual([
    ["2", "Pay"],
    ["1", "  GET /a"],
    ["1", "  GET /b"],
  ]);
});

test("a run without transactions says so when only they count", async () => {
  const { error } = await summary(GROUPS, "--count", "transactions");
  expect(error).toBe("no transaction matches; without --count transactions, requests count\n");
});

test("a run that says nothing of groups has no tree", async () => {
  const { exitCode, error } = await summary(["GET /a,1,,"], "--tree");
  expect(exitCode).toBe(1);
  expect(error).toContain("the run does not say which requests are in which transaction or group");
});
