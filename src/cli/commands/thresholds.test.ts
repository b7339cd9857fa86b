import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { readVerdict } from "../../analysis/thresholds/read-verdict.ts";
import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { createTestServer } from "../../../test/support/test-server.ts";
import { testFolder } from "../../../test/support/test-folder.ts";

const folder = testFolder();

async function convert(options: unknown) {
  const file = path.join(folder, "options.json");
  await writeFile(file, JSON.stringify(options));
  return createFakeProgram().run(["thresholds", "from-k6", file]);
}

test("the thresholds of k6 become a file that a check reads", async () => {
  const { exitCode, out, error } = await convert({
    thresholds: {
      "http_req_duration{name:GET /}": ["p(95)<25", "max<1000"],
      http_req_failed: ["rate<0.01"],
      "http_req_failed{check:ok}": ["rate>0.99"],
    },
  });
  expect(exitCode).toBe(3);
  expect(error.split("\n")).toEqual([
    "not converted: http_req_failed{check:ok}: rate>0.99: the tag check of requests is not stored",
    "3 thresholds converted, 1 not",
    "",
  ]);
  const file = path.join(folder, "thresholds.yaml");
  await writeFile(file, out);
  const program = createFakeProgram();
  const rows = "1700000000000,30,GET /,true,1\n1700000001000,30,GET /,true,1\n";
  const header = "timeStamp,elapsed,label,success,bytes\n";
  await program.run(["import", "-", "--id", "run"], header + rows);
  const checked = await program.run(["check", "run", "--thresholds", file, "--json"]);
  const outcomes = JSON.parse(checked.out).map((each: Record<string, unknown>) => [
    each["failIf"],
    each["outcome"],
  ]);
  expect([checked.exitCode, outcomes]).toEqual([
    4,
    [
      ["GET /: p95 >= 25ms", "broken"],
      ["GET /: max >= 1000ms", "kept"],
      ["errors >= 1%", "kept"],
    ],
  ]);
});

test("what other tags need is said, and they are never taken for values that no request has", async () => {
  const { exitCode, out, error } = await convert({
    thresholds: {
      "http_req_duration{status:200,scenario:a}": ["p(95)<25"],
      "http_req_failed{region:eu}": ["rate<0.01"],
      "http_req_failed{scenario:a}": ["rate<0.01"],
    },
  });
  expect([exitCode, error.split("\n")[0]]).toEqual([
    0,
    "these need runs imported with --facet region,status",
  ]);
  const [strict = "", lenient = ""] = out.split("- failIf:").slice(1);
  expect(strict).toMatch(/p95\{status=200, scenario=a\} >= 25ms[^]*errors\{region=eu\} >= 1%/);
  expect(lenient).toMatch(/errors\{scenario=a\} >= 1%[^]*allowMissing: true/);
});

test("all converted exits 0", async () => {
  const { exitCode, out } = await convert({ thresholds: { http_reqs: ["count>10"] } });
  expect([exitCode, out]).toEqual([0, "thresholds:\n  - failIf:\n      - requests <= 10\n"]);
});

test("another file is refused", async () => {
  const { exitCode, out, error } = await convert({ results: {} });
  expect([exitCode, out]).toEqual([2, ""]);
  expect(error).toContain('expected JSON with "metrics"');
});

const CSV = `timeStamp,elapsed,label,success,bytes
1700000000000,30,GET /,true,1
1700000001000,30,GET /,true,1
`;

async function fileOf(text: string): Promise<string> {
  const file = path.join(folder, "set.yaml");
  await writeFile(file, text);
  return file;
}

const [SLOW, FAST] = [
  `thresholds: [{failIf: ["p95 > 25ms"]}]`,
  `thresholds: [{failIf: ["p95 > 35ms"]}]`,
];

describe.each(["in a data directory", "on a server"])("thresholds stored %s", (place) => {
  test("are checked unless others are given", async () => {
    const world = await createTestServer();
    const isServer = place === "on a server";
    const program = createFakeProgram(isServer ? undefined : world.store);
    const at = isServer
      ? ["--url", await world.server.listen(), "--key", await world.makeKey("read", "write")]
      : [];
    onTestFinished(() => world.server.close());
    const run = async (...words: string[]) => {
      const { exitCode, out, error } = await program.run([...words, ...at], CSV);
      return { exitCode, out, error };
    };
    await run("import", "-", "--id", "later", "--name", "shop");
    const unset = await run("check", "later");
    expect([unset.exitCode, unset.error]).toEqual([
      2,
      expect.stringContaining('or thresholds set for "shop"'),
    ]);
    expect(await run("thresholds", "set", "shop", await fileOf(SLOW))).toMatchObject({
      exitCode: 0,
      out: "",
    });
    expect((await run("thresholds", "show", "shop")).out).toBe(
      "thresholds:\n  - failIf:\n      - p95 > 25ms\n",
    );
    expect(await run("check", "later")).toMatchObject({
      exitCode: 4,
      out: expect.stringContaining("p95 > 25ms"),
    });
    // Given thresholds take precedence.
    const given = await run("check", "later", "--thresholds", await fileOf(FAST));
    expect([given.exitCode, given.out]).toEqual([0, expect.not.stringContaining("25ms")]);
    const flag = await run("check", "later", "--fail-if", "p95 > 35ms");
    expect([flag.exitCode, flag.out]).toEqual([0, expect.not.stringContaining("25ms")]);
    await run("thresholds", "remove", "shop");
    expect((await run("thresholds", "show", "shop")).out).toBe("thresholds: []\n");
    expect((await run("check", "later")).exitCode).toBe(2);
  });
});

test("a file with a mistake replaces nothing", async () => {
  const program = createFakeProgram();
  await program.run(["thresholds", "set", "shop", await fileOf(SLOW)]);
  const file = await fileOf("thresholds:\n  - failIf: [p95 > 5]\n");
  const { exitCode, error } = await program.run(["thresholds", "set", "shop", file]);
  expect([exitCode, error]).toEqual([2, expect.stringContaining("set.yaml:2: ")]);
  const { out } = await program.run(["thresholds", "show", "shop"]);
  expect(out).toContain("p95 > 25ms");
});

test("an unknown run has no thresholds", async () => {
  const { exitCode, error } = await createFakeProgram().run(["check", "none"]);
  expect([exitCode, error]).toEqual([1, expect.stringContaining('"none"')]);
});

test("a server judges averages of windows to the microsecond, as a check does", async () => {
  const store = openMemoryStore();
  const own = createFakeProgram({ ...store, close: async () => {} });
  const head = "timestamp,label,elapsedMs,success\n";
  // 1,000.33 µs in each second.
  const rows = Array.from({ length: 30 }, (_, at) => {
    return `${1_790_000_000 + Math.floor(at / 3)},GET /,${at % 3 === 0 ? 1.001 : 1},true\n`;
  });
  await own.run(["import", "-", "--id", "run", "--name", "web"], head + rows.join(""));
  const failIf = ["avg > 1ms over 1s"];
  await store.thresholds.keep("web", JSON.stringify({ thresholds: [{ failIf }] }));
  expect((await own.run(["check", "run"])).exitCode).toBe(0);
  expect(await readVerdict(store, "run", () => 0)).toMatchObject({ fails: false });
});
