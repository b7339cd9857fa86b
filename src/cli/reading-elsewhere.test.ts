import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const folder = testFolder();
const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const url = await world.server.listen();
const key = await world.makeKey("read", "write");
const server = ["--url", `${url}/`, "--key", key];

afterAll(() => world.server.close());

/** Two requests a second for five minutes of each of two endpoints; some fail. */
function results(factor: number): string {
  const rows = Array.from({ length: 1200 }, (_, index) => {
    const elapsed = Math.round((20 + ((index * 7) % 10)) * factor);
    const label = index % 2 === 0 ? "GET /cart" : 'ä+b%2F<c>&"\u001b';
    const outcome = index % 50 === 0 ? "500,Server \u001b Error,false" : "200,OK,true";
    return `${1_700_000_000_000 + index * 250},${elapsed},"${label.replaceAll('"', '""')}",${outcome},10\n`;
  });
  return `timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n${rows.join("")}`;
}

/** Four requests a second: five times slower after 150 s, and failing from 200 to 204 s. */
function standingOut(): string {
  const rows = Array.from({ length: 1200 }, (_, index) => {
    const elapsed = (20 + ((index * 7) % 10)) * (index < 600 ? 1 : 5);
    const outcome = index >= 800 && index < 820 ? "503,Un\u001bavailable,false" : "200,OK,true";
    return `${1_700_000_000_000 + index * 250},${elapsed},GET /cart,${outcome},10\n`;
  });
  return `timeStamp,elapsed,label,responseCode,responseMessage,success,bytes\n${rows.join("")}`;
}

await program.run(["import", "-", "--id", "out"], standingOut());
await program.run(["import", "-", "--id", "base"], results(1));
await program.run(["import", "-", "--id", "later"], results(2));
await program.run(["import", "-", "--id", "cut"], results(1).slice(0, -20));
await program.run(["tests", "tag", "later", "nightly"]);

const PART = ["--from", "1700000010", "--until", "1700000200"];

test.each([
  ["summary", "later"],
  ["summary", "later", "--json", "--apdex-ms", "25"],
  ["summary", "later", "--percentiles", "75,12.5", "--csv"],
  ["summary", "later", "--filter", "ä+b%2F<c>&"],
  ["summary", "later", "--skip-start", "1h"],
  ["summary", "run"],
  ["summary", "no"],
  ["compare", "base", "later", "--json", ...PART, "--base-from", "1700000100"],
  ["compare", "base", "later", "--markdown", "--skip-start", "60", "--base-until", "1700000200"],
  ["compare", "base", "later", "--skip-start", "30", "--skip-end", "30", "--limit", "1"],
  ["compare", "cut", "later", "--json"],
  ["check", "later", "--fail-if", "p95 > 1s", "--fail-if", "GET /cart: errors > 1%"],
  ["check", "later", "--against", "base", "--fail-if", "p95 grows > 10%", "--skip-start", "30"],
  ["check", "later", "--against", "no", "--fail-if", "p95 grows > 10%"],
  ["check", "later", "--fail-if", "p95 > 1s", ...PART, "--skip-start", "60", "--markdown"],
  ["check", "later", "--fail-if", "p95 > 1"],
  ["check", "cut", "--fail-if", "errors > 90%"],
  ["check", "later", "--fail-if", "p95 changed", "--against-history", "base", "--json"],
  ["check", "--pairs", "base:later", "--fail-if", "p95 grows > 5%"],
  ["check", "--pair-tags", "nightly:no", "--fail-if", "p95 grows > 5%"],
  ["trend", "later"],
  ["trend", "--tag", "nightly", "--json", "--skip-start", "30s", "--filter", "cart"],
  ["trend", "base", "--since", "base", "--up-to", "later", "--markdown", "--last", "9"],
  ["trend", "base", "--since", "a b"],
  ["trend"],
  ["failures", "later"],
  ["failures", "later", "--json", "--filter", "cart", ...PART],
  ["metrics", "later", "--hash", "890a7f8e02ad127c4f5669d211ea3ec8d8d8ce03", "--format", "csv"],
  ["metrics", "later", "--filter", "\u001b", ...PART],
  ["metrics", "later", "--filter", "cart", "--format", "no"],
  ["metrics", "later"],
  ["tests", "list", "--tag", "nightly", "--json"],
  ["tests", "show", "base", "--json"],
  ["tests", "show", ".."],
])("%s %s %s %s gives the same output from a server as from its store", async (...words) => {
  const here = await program.run(words);
  expect(await program.run([...words, ...server])).toEqual(here);
  expect(here.out === "").toBe(here.exitCode === 1 || here.exitCode === 2);
});

test.each([[[]], [server]])(
  "a summary ends with what happened and its symptom: %#",
  async (location) => {
    const { out } = await program.run(["summary", "out", ...location]);
    const [step, burst] = out.trimEnd().split("\n").slice(-2);
    // Within 1 %.
    expect(step).toMatch(
      /^p95 rises from 29 ms to 14[456] ms \(×5\.0\) at 2023-11-14 22:15:50 UTC; GET \/cart$/,
    );
    // All of them, in the five seconds from 200 s.
    expect(burst).toBe(
      "  20 of 20 failures from 2023-11-14 22:16:40 UTC to 2023-11-14 22:16:44 UTC: " +
        String.raw`503 Un\x1bavailable; GET /cart`,
    );
  },
);

test("a check of a load test on a server writes the same report for build servers", async () => {
  const files = ["here.xml", "there.xml"].map((name) => path.join(folder, name));
  const words = ["check", "later", "--against", "base", "--fail-if", "avg grows > 5%"];
  for (const [index, file] of files.entries()) {
    const location = index === 0 ? [] : server;
    expect((await program.run([...words, ...location, "--junit", file])).exitCode).toBe(4);
  }
  const [here, there] = await Promise.all(files.map((file) => readFile(file, "utf8")));
  expect(there).toBe(here);
});

test.each([
  [["--url", url], 2, "an access key for the server is required"],
  [["--url", "results.example.org", "--key", key], 2, "not the URL of a server"],
  [["--url", url, "--key", "tgk_no"], 1, "status 401: expected a valid key in the header"],
  [["--url", `${url}/base`, "--key", key], 1, 'status 404: nothing is at "/base/Api/'],
])("an invalid server setting is an error with a message: %#", async (location, code, text) => {
  const { exitCode, out, error } = await program.run(["summary", "later", ...location]);
  expect({ exitCode, out }).toEqual({ exitCode: code, out: "" });
  expect(error).toContain(text);
});

test("the server from the environment is used unless a data directory is given", async () => {
  const words = ["tests", "list", "--search", "later"];
  const here = await program.run(words);
  vi.stubEnv("TACHOGRAPH_URL", `${url}/base`);
  vi.stubEnv("TACHOGRAPH_KEY", key);
  try {
    expect((await program.run(words)).error).toContain('nothing is at "/base/');
    expect(await program.run([...words, "--data", "/data"])).toEqual(here);
    expect(await program.run([...words, "--url", url])).toEqual(here);
  } finally {
    vi.unstubAllEnvs();
  }
});

test("a write-only key cannot read", async () => {
  const location = ["--url", url, "--key", await world.makeKey("write")];
  const words = ["metrics", "later", "--filter", "cart", ...location];
  expect(await program.run(words)).toMatchObject({
    exitCode: 1,
    error: expect.stringContaining("the key may not read"),
  });
});

test.each([
  ["import", "-"],
  ["import", "-", "--url", ""],
  ["import", "-", "--data", "/data"],
  ["summary", "later"],
  ["keys", "list"],
])("a key without a URL is refused: %s %s %s %s", async (...command) => {
  const before = await program.run(["tests", "list", "--json"]);
  const { exitCode, out, error } = await program.run([...command, "--key", key], results(1));
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(error).toContain("got a key but no URL of a server: set --url or TACHOGRAPH_URL");
  expect(await program.run(["tests", "list", "--json"])).toEqual(before);
});

test("a key from the environment needs a URL, unless a flag names a local store", async () => {
  vi.stubEnv("TACHOGRAPH_KEY", key);
  try {
    expect((await program.run(["tests", "list"])).exitCode).toBe(2);
    expect((await program.run(["tests", "list", "--data", "/data"])).exitCode).toBe(0);
  } finally {
    vi.unstubAllEnvs();
  }
});
