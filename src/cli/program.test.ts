import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../model/errors.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const ROWS = "1700000000000,100,cart,true,10\n1700000001000,300,cart,false,30\n";

const folder = testFolder();

async function file(name: string, content: string): Promise<string> {
  const location = path.join(folder, name);
  await writeFile(location, content);
  return location;
}

test("import reports a file, creates a load test and names it after the file", async () => {
  const program = createFakeProgram();
  const results = await file("run.jtl", HEADER + ROWS);
  const { exitCode, out, error } = await program.run(["import", results]);
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
  expect(out).toContain("run.jtl: 2 requests, 1 failed, 1 endpoint (jmeter-csv");
  expect(out).toContain("2023-11-14 22:13:20 UTC to 2023-11-14 22:13:21 UTC");
  expect(out).toContain("  run new-1\n");
  const listed = await program.run(["tests", "list", "--json"]);
  expect(JSON.parse(listed.out)).toEqual([
    {
      id: "new-1",
      name: "run.jtl",
      tags: [],
      pinned: false,
      environment: null,
      description: null,
      properties: {},
      links: {},
      createdAt: "2026-11-21T12:00:00.000Z",
      finishedAt: null,
      lastDataAt: expect.any(String),
      endpoints: 1,
      requests: 2,
      failedRequests: 1,
      from: 1_700_000_000,
      until: 1_700_000_001,
      secondsPerPoint: 1,
      formats: ["jmeter-csv"],
    },
  ]);
});

test("summary prints the figures of a load test, as a table and as JSON", async () => {
  const program = createFakeProgram();
  await program.run(["import", await file("sum.jtl", HEADER + ROWS), "--id", "sum"]);
  const { out } = await program.run(["summary", "sum", "--apdex-ms", "100"]);
  const cells =
    "2 +1 \\(50 %\\) +200 ms +100 ms +100 ms +300 ms +300 ms +300 ms +300 ms +1\\.0 +40 B +0\\.50";
  expect(out).toMatch(new RegExp(`^${cells} +\\(all\\)$`, "m"));
  expect(out).toMatch(new RegExp(`^${cells} +cart$`, "m"));
  const { overall } = JSON.parse((await program.run(["summary", "sum", "--json"])).out);
  expect(overall).toMatchObject({ count: 2, avgLoadTime: 0.2, p95: 0.3 });
});

test("failures prints why requests failed, as a table and as JSON", async () => {
  const program = createFakeProgram();
  const rows = [
    "timeStamp,elapsed,label,responseCode,responseMessage,success",
    "1700000000000,100,cart,500,Server\u001b Error,false",
    "1700000001000,100,cart,500,Server\u001b Error,false",
    "1700000001000,100,pay,200,OK,true",
    "",
  ];
  await program.run(["import", await file("why.jtl", rows.join("\n")), "--id", "why"]);
  const { out } = await program.run(["failures", "why"]);
  expect(out).toContain("FAILED  CODE  ENDPOINT");
  expect(out).toMatch(/^2 +500 +cart +2023-11-14 22:13:20 UTC +2023-11-14 22:13:21 UTC +Server/m);
  expect(out).not.toContain("\u001b");
  const json = JSON.parse((await program.run(["failures", "why", "--json"])).out) as unknown;
  const kind = { code: "500", message: "Server\u001b Error", requests: 2 };
  expect(json).toMatchObject([{ label: "cart", failedRequests: 2, kinds: [kind] }]);
  expect((await program.run(["failures", "why", "--filter", "x"])).out).toBe("no request failed\n");
});

test("import --json writes one document with the promised names", async () => {
  const results = await file("two.jtl", `${HEADER}${ROWS}oops\n`);
  const { out } = await createFakeProgram().run(["import", results, "--id", "run", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    loadTestId: "run",
    format: "jmeter-csv",
    source: results,
    samples: { read: 3, recorded: 2, rejected: 1 },
    requests: 2,
    failedRequests: 1,
    endpoints: 1,
    from: 1_700_000_000,
    until: 1_700_000_001,
    rejections: [{ line: 4, byte: HEADER.length + ROWS.length, reason: expect.any(String) }],
    truncatedAt: null,
    alreadyImported: false,
    elapsedSeconds: 0,
  });
});

test("several files form one load test, and --json lists their reports", async () => {
  const program = createFakeProgram();
  const files = [await file("a.jtl", HEADER + ROWS), await file("b.jtl", `${HEADER}${ROWS}\n`)];
  const { out, exitCode } = await program.run(["import", ...files, "--json"]);
  expect(exitCode).toBe(0);
  expect((JSON.parse(out) as { loadTestId: string }[]).map((report) => report.loadTestId)).toEqual([
    "new-1",
    "new-1",
  ]);
});

test("standard input can be a source", async () => {
  const { out } = await createFakeProgram().run(["import", "-"], HEADER + ROWS);
  expect(out).toContain("standard input: 2 requests");
});

test.each([
  { name: "whole.jtl", content: HEADER + ROWS, flags: [], exitCode: 0 },
  { name: "rejected.jtl", content: `${HEADER}oops\n${ROWS}`, flags: [], exitCode: 0 },
  { name: "strict.jtl", content: `${HEADER}oops\n${ROWS}`, flags: ["--strict"], exitCode: 3 },
  {
    name: "allowed.jtl",
    content: `${HEADER}oops\n${ROWS}`,
    flags: ["--strict", "--allow-rejected", "50%"],
    exitCode: 0,
  },
  { name: "header.jtl", content: HEADER, flags: [], exitCode: 2 },
  { name: "header.jtl", content: HEADER, flags: ["--allow-empty"], exitCode: 0 },
  { name: "garbage.jtl", content: `${HEADER}oops\n`, flags: ["--allow-empty"], exitCode: 2 },
  { name: "cut.jtl", content: `${HEADER}${ROWS}17000`, flags: [], exitCode: 3 },
  { name: "page.jtl", content: "<!doctype html>", flags: [], exitCode: 2 },
  { name: "zone.jtl", content: HEADER, flags: ["--timezone", "Nowhere"], exitCode: 2 },
  { name: "id.jtl", content: HEADER, flags: ["--id", "a b"], exitCode: 2 },
  { name: "format.jtl", content: HEADER, flags: ["--format", "nope"], exitCode: 2 },
])("import of $name $flags exits with $exitCode", async ({ name, content, flags, exitCode }) => {
  const location = await file(name, content);
  expect(await createFakeProgram().run(["import", location, ...flags])).toMatchObject({ exitCode });
});

test("the form of --json depends on the number of files given, not on their outcome", async () => {
  const program = createFakeProgram();
  const good = await file("one.jtl", HEADER + ROWS);
  const { out } = await program.run(["import", good, `${folder}/none`, "--json"]);
  expect(JSON.parse(out)).toMatchObject([{ source: good }]);
  expect((await program.run(["import", `${folder}/none`, "--json"])).out).toBe("");
});

test("a file that cannot be read does not block the others", async () => {
  const program = createFakeProgram();
  const good = await file("good.jtl", HEADER + ROWS);
  const { exitCode, out, error } = await program.run(["import", folder, `${folder}/none`, good]);
  expect(exitCode).toBe(2);
  expect(error).toContain("it is a directory; name a file in it");
  expect(error).toContain("there is no such file");
  expect(out).toContain("good.jtl: 2 requests");
  const listed = await program.run(["tests", "list", "--json"]);
  expect(JSON.parse(listed.out)).toMatchObject([{ name: "good.jtl" }]);
});

test("terminal control characters are escaped", async () => {
  const label = '"\u001b[31m\u202e"';
  const results = await file("red.jtl", `${HEADER}1700000000000,1,${label},true,1\n`);
  const program = createFakeProgram();
  await program.run(["import", results, "--id", "run"]);
  const { out } = await program.run(["tests", "show", "run"]);
  expect(out).toContain(String.raw`\x1b[31m\u{202e}`);
});

test("metrics prints the answer of the operation", async () => {
  const program = createFakeProgram();
  await program.run(["import", await file("m.jtl", HEADER + ROWS), "--id", "run"]);
  const { out } = await program.run(["metrics", "run", "--filter", "car", "--format", "csv"]);
  expect(JSON.parse(out)).toMatchObject([
    {
      label: "cart",
      data: [expect.any(Array), ["1700000000", "0.1", "1", "10", "0", "0", "0"], expect.any(Array)],
    },
  ]);
});

test.each([
  [["metrics", "run"], "one of --filter, --hash and --all"],
  [["metrics", "run", "--filter", "a", "--all"], "one of --filter, --hash and --all"],
  [["metrics", "run", "--filter", "a", "--hash", "b"], "either --filter or --hash"],
  [["metrics", "run", "--hash", "12"], "expected 40 hex digits"],
  [["metrics", "run", "--filter", "a", "--format", "xml"], "csv, xy, default"],
  [["metrics", "run", "--filter", "a", "--from", "5", "--until", "5"], "must come before"],
  [["metrics", "run", "--filter", "a", "--resolution", "0"], "whole number from 1"],
  [["keys", "create"], "--name"],
  [["keys", "create", "--name", "a", "--scope", "root"], "one or more of read, write, admin"],
  [["tests", "rename", "run", " "], "not blank"],
  [["import", "-", "--name", "a\nb"], "without control characters"],
  [["serve", "--port", "99999"], "whole number from 0 to 65535"],
  [["nonsense"], "unknown command"],
])("%j is a usage error: %s", async (words, message) => {
  const { exitCode, error, out } = await createFakeProgram().run(words);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain(message);
});

test.each([
  ["tests", "show", "none"],
  ["tests", "rename", "none", "x"],
  ["tests", "delete", "none"],
  ["metrics", "none", "--filter", "a"],
  ["keys", "revoke", "none"],
])("%s %s of something unknown exits with 1 and says so", async (...words) => {
  const { exitCode, error } = await createFakeProgram().run(words);
  expect(exitCode).toBe(1);
  expect(error).toContain('"none"');
});

test("a key is printed alone, once; the list shows its use and never the key", async () => {
  const program = createFakeProgram();
  const created = await program.run(["keys", "create", "--name", "ci", "--scope", "read,write"]);
  expect(created.out).toMatch(/^tgk_[0-9A-Za-z]{36}\n$/);
  await program.run(["keys", "create", "--name", "old", "--expires-days", "1"]);
  await program.run(["keys", "revoke", "old"]);
  const { out } = await program.run(["keys", "list"]);
  expect(out.split("\n").slice(1, 3)).toEqual([
    "ci    read,write  2026-11-21 12:00  -          -                 -",
    "old   read        2026-11-21 12:00  -          2026-11-22 12:00  2026-11-21 12:00",
  ]);
  expect(out).not.toContain("tgk_");
});

test("load tests are renamed and deleted", async () => {
  const program = createFakeProgram();
  await program.run(["import", await file("r.jtl", HEADER + ROWS), "--id", "run"]);
  await program.run(["tests", "rename", "run", "after the fix"]);
  expect((await program.run(["tests", "list"])).out).toContain("after the fix");
  await program.run(["tests", "delete", "run"]);
  expect((await program.run(["tests", "list"])).out).not.toContain("run");
});

async function full(): Promise<never> {
  throw new UserError("storage-full", "the disk is full");
}

async function unclosable(): Promise<never> {
  throw new Error("close");
}

test("the first error is reported, not the failed close that follows", async () => {
  const store = openMemoryStore();
  const points = { ...store.points, append: full, discard: full };
  const program = createFakeProgram({ ...store, points, close: unclosable });
  const results = await file("full.jtl", HEADER + ROWS);
  expect(await program.run(["import", results])).toEqual({
    exitCode: 1,
    out: "",
    error: "error: the disk is full\n",
  });
});

test("an undamaged store verifies", async () => {
  expect(await createFakeProgram().run(["verify"])).toMatchObject({ exitCode: 0, out: "" });
});

test("serve passes on its settings, lists separated by commas", async () => {
  const program = createFakeProgram();
  const words = ["--port", "0", "--allowed-hosts", "a.org, b.org", "--key-headers=X-Key"];
  await program.run(["serve", ...words]);
  expect(program.served).toEqual([
    {
      location: { directory: "/data/tachograph" },
      directory: "/data/tachograph",
      isDemo: false,
      isReadOnly: false,
      tls: undefined,
      initKey: {},
      retention: { keepEnvironmentDays: 7 },
      retentionIn: new Map(),
      notices: { targets: [], tellsRecovery: false },
      prometheus: [],
      http: {
        host: "127.0.0.1",
        port: 0,
        basePath: "/",
        allowedHosts: ["a.org", "b.org"],
        corsOrigins: [],
        trustedProxies: [],
        keyHeaders: ["X-Key"],
      },
    },
  ]);
});

test("serve accepts retention settings", async () => {
  const program = createFakeProgram();
  const flags = ["--keep-days", "90", "--keep-tests", "500", "--keep-seconds-days", "30"];
  await program.run(["serve", ...flags]);
  const retention = { keepDays: 90, keepTests: 500, keepSecondsDays: 30 };
  expect(program.served).toMatchObject([{ retention }]);
});

test("help has examples and the version is the package's", async () => {
  const program = createFakeProgram();
  expect((await program.run(["--version"])).out).toBe("1.2.3\n");
  for (const words of [["import"], ["measures"], ["measures", "pull"]]) {
    expect((await program.run([...words, "--version"])).out).toBe("1.2.3\n");
  }
  for (const words of [[], ["import"], ["serve"], ["keys"], ["tests"], ["metrics"]]) {
    const { out, exitCode } = await program.run([...words, "--help"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("Examples:");
  }
});

test.each([
  ["--keep-in", "web:days=30"],
  ["--keep-environment-days", "30"],
  ["--notify", "https://example.org/hook"],
  ["--prometheus", "https://prometheus.example.org"],
])("a read-only server refuses %s, which it could not do", async (flag, value) => {
  const words = ["config", flag, value];
  expect(await createFakeProgram().run(words)).toMatchObject({ exitCode: 0 });
  const { exitCode, error } = await createFakeProgram().run([...words, "--read-only"]);
  expect(exitCode).toBe(2);
  expect(error).toContain(`--read-only' cannot be used with option '${flag}`);
});
