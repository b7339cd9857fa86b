import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const folder = testFolder();

const HEADER = "timeStamp,elapsed,label,success,bytes\n";

/** Ten requests to each of three endpoints: 10, 20 and 30 ms; none fails. */
const ROWS = Array.from({ length: 10 }, (_, index) => {
  const at = 1_700_000_000_000 + index * 1000;
  return ["GET /cart", "POST /cart", "GET /"]
    .map((label, each) => `${at},${(each + 1) * 10},${label},true,1\n`)
    .join("");
}).join("");

/** Checks the run `run`. The fake program's clock stands at 2026-11-21 12:00 UTC. */
async function check(thresholds: string, ...words: readonly string[]) {
  const file = path.join(folder, "thresholds.yaml");
  await writeFile(file, thresholds);
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], HEADER + ROWS);
  const { error, ...outcome } = await program.run(["check", "run", "--thresholds", file, ...words]);
  return { ...outcome, error: error.replaceAll(file, "FILE") };
}

const FILE = `thresholds:
  - failIf: [max > 25ms, errors > 1%]
    owner: shop
  - failIf: ["each */cart: avg > 15ms"]
    severity: warn
  - failIf: ["GET /: avg >= 30ms"]
    acceptedUntil: 2026-11-21
    reason: SHOP-12, new tax service
`;

test("the table shows severity, owner and what is accepted", async () => {
  const { exitCode, out, error } = await check(FILE);
  expect({ exitCode, error }).toEqual({ exitCode: 4, error: "" });
  expect(out.split("\n")).toEqual([
    "RESULT    FAIL IF                 MEASURED  SEVERITY  OWNER  ACCEPTED UNTIL",
    "FAILED    max > 25ms              30 ms     fail      shop",
    "ok        errors > 1%             0 %       fail      shop",
    "ok        GET /cart: avg > 15ms   10 ms     warn",
    "warning   POST /cart: avg > 15ms  20 ms     warn",
    "accepted  GET /: avg >= 30ms      30 ms     fail             2026-11-21: SHOP-12, new tax service",
    "1 of 5 thresholds failed, 1 warning, 1 accepted",
    "",
  ]);
});

test("a file without thresholds is refused, unless there are others", async () => {
  const { exitCode, out, error } = await check("thresholds: []");
  expect([exitCode, out]).toEqual([2, ""]);
  expect(error).toBe('error: expected a threshold: there is none in "FILE"\n');
  expect(await check("thresholds: []", "--fail-if", "max > 1s")).toMatchObject({ exitCode: 0 });
});

test.each([
  ["2026-11-20", 4, "FAILED"],
  ["2026-11-21", 0, "accepted"],
  ["2027-01-01", 0, "accepted"],
])("a failure accepted until %s exits %d on 2026-11-21", async (date, code, result) => {
  const { exitCode, out } = await check(
    `thresholds: [{failIf: [max > 25ms], acceptedUntil: ${date}, reason: r}]`,
  );
  expect([exitCode, out.split("\n")[1]?.split(" ")[0]]).toEqual([code, result]);
});

test.each([
  ["warn", 0],
  ["fail", 4],
])("a failure of severity %s exits %d", async (severity, code) => {
  const { exitCode } = await check(`thresholds: [{failIf: [max > 25ms], severity: ${severity}}]`);
  expect(exitCode).toBe(code);
});

test("a pattern without a match fails", async () => {
  const { exitCode, out } = await check("thresholds: [{failIf: ['each */Cart: avg > 1s']}]");
  expect(exitCode).toBe(4);
  expect(out).toMatch(
    /^FAILED {2}each \*\/Cart: avg > 1s {2}no endpoint whose label matches this has/m,
  );
});

test("growth without a base and changes without a history are skipped", async () => {
  const { exitCode, out } = await check("thresholds: [{failIf: [p95 grows > 5%, p95 changed]}]");
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^no verdict {2}p95 grows > 5% {2}no --against /m);
  expect(out).toMatch(/^no verdict {2}p95 changed {5}no --against-history /m);
});

test("flags and the file are both checked, and only the file's have a policy", async () => {
  const { out } = await check(FILE, "--json", "--fail-if", "errors > 2%");
  const members = ["failIf", "severity", "owner", "acceptedUntil", "reason", "isAccepted"];
  const shown = JSON.parse(out).map((each: Record<string, unknown>) =>
    members.map((name) => each[name]),
  );
  const none = undefined;
  expect(shown).toEqual([
    ["errors > 2%", none, none, none, none, none],
    ["max > 25ms", "fail", "shop", none, none, false],
    ["errors > 1%", "fail", "shop", none, none, false],
    ["GET /cart: avg > 15ms", "warn", none, none, none, false],
    ["POST /cart: avg > 15ms", "warn", none, none, none, false],
    ["GET /: avg >= 30ms", "fail", none, "2026-11-21", "SHOP-12, new tax service", true],
  ]);
});

test("Markdown and JUnit show severity and owner, too", async () => {
  const junit = path.join(folder, "check.xml");
  const { out } = await check(FILE, "--markdown", "--junit", junit);
  expect(out).toContain("| FAILED | `max > 25ms` | 30 ms | fail | `shop` |  |\n");
  const xml = await readFile(junit, "utf8");
  expect(xml).toContain('tests="5" failures="1" errors="0" skipped="2"');
  const owned =
    '<properties><property name="severity" value="fail"></property>' +
    '<property name="owner" value="shop"></property></properties><failure message="30 ms">';
  expect(xml).toContain(owned);
  expect(xml).toContain('<skipped message="warning: 20 ms">');
  expect(xml).toContain('<skipped message="accepted: 30 ms">');
});

test.each([
  ["thresholds: 5", "error: FILE:1: thresholds: expected an array, got 5"],
  ["", "error: FILE:1: expected an object, got null"],
  ["limits: []", "error: FILE:1: thresholds: expected an array, got nothing"],
  ["thresholds:\n  - p95", 'error: FILE:2: expected an object, got "p95"'],
  ["thresholds:\n  - owner: a", "error: FILE:2: failIf: expected an array, got nothing"],
  [
    "thresholds:\n  - failIf: [max > 1s]\n    severity: error",
    'error: FILE:3: severity: expected one of fail, warn, got "error"',
  ],
  [
    "thresholds:\n  - failIf: [max > 1s]\n    endpoint: x",
    "error: FILE:3: expected one of failIf, severity, owner, acceptedUntil, reason, allowRejected, better, allowMissing, got " +
      '"endpoint"',
  ],
  [
    "thresholds:\n  - failIf: [max > 1s]\n    acceptedUntil: 2026-02-30\n    reason: r",
    'error: FILE:3: acceptedUntil: expected a date such as 2026-12-31, got "2026-02-30"',
  ],
  [
    "thresholds:\n  - failIf: [max > 1s]\n    acceptedUntil: 2026-02-28",
    "error: FILE:3: acceptedUntil: expected a reason beside it, got none",
  ],
  [
    "thresholds:\n  - failIf:\n      - p95 > 500",
    "error: FILE:3: expected us or ms or s after 500\n  p95 > 500\n           ^",
  ],
  ["thresholds: [", "error: FILE:1: Flow sequence in block collection must be"],
  ["thresholds:\n  - failIf: [max > 1s]\n    failIf: []", "error: FILE:3: Map keys must be unique"],
])("%j is wrong at its line", async (file, message) => {
  const { exitCode, out, error } = await check(file);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain(message);
});

test("a missing file is an error", async () => {
  const { exitCode, error } = await createFakeProgram().run([
    "check",
    "run",
    "--thresholds",
    path.join(folder, "none.yaml"),
  ]);
  expect(exitCode).toBe(2);
  expect(error).toMatch(/none\.yaml": there is no such file/);
});
