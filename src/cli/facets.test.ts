import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";
import { createTestServer } from "../../test/support/test-server.ts";

const world = await createTestServer();
const program = createFakeProgram({ ...world.store, close: async () => {} });
const url = await world.server.listen();
const server = ["--url", url, "--key", await world.makeKey("read")];

afterAll(() => world.server.close());

const PAY = "pay: by card, or not";

/** Four requests a second for two minutes: those of every third are of the scenario, slower and failing at times. */
function results(isWhole: boolean, slower: number): string {
  const rows = Array.from({ length: 480 }, (_, at) => {
    const isPay = at % 3 === 0;
    const [elapsed, code] = isPay
      ? [(200 + (at % 9)) * slower, at % 60 === 0 ? 503 : 200]
      : [20, 200];
    const facet = isWhole ? `,"${isPay ? PAY : "browse"}"` : "";
    const row = `${1_700_000_000 + Math.floor(at / 4)},GET /${at % 2},${elapsed},${code},10${facet}\n`;
    return isWhole || isPay ? row : "";
  });
  const head = `timestamp,label,elapsedMs,code,receivedBytes${isWhole ? ",facet.scenario" : ""}\n`;
  return head + rows.join("");
}

for (const [name, isWhole] of [
  ["full", true],
  ["paid", false],
] as const) {
  for (const [at, slower] of [1, 2].entries()) {
    const id = ["--id", `${name}-${at}`, "--name", name];
    await program.run(
      ["import", "-", "--format", "tachograph-csv", ...id],
      results(isWhole, slower),
    );
  }
}

test.each([
  ["summary", "RUN-1"],
  ["summary", "RUN-1", "--json", "--percentiles", "80", "--filter", "0"],
  ["failures", "RUN-1"],
  ["capacity", "RUN-1"],
  ["metrics", "RUN-1", "--all"],
  ["compare", "RUN-1", "--against", "RUN-0", "--json"],
  ["check", "RUN-1", "--fail-if", "p95 > 500ms", "--fail-if", "GET /1: errors > 1%"],
  ["check", "RUN-1", "--against", "RUN-0", "--fail-if", "p95 grows > 20%", "--json"],
  ["trend", "RUN"],
])("%s %s of a facet is that of a run with its requests only", async (...words) => {
  const wordsOf = (name: string) => words.map((word) => word.replace("RUN", name));
  const own = await program.run(wordsOf("paid"));
  expect(own.out).not.toBe("");
  const asked = [...wordsOf("full"), "--where", `scenario:${PAY}`];
  const found = await program.run(asked);
  expect({ ...found, out: found.out.replaceAll("full", "paid") }).toEqual(own);
  expect(await program.run([...asked, ...server])).toEqual(found);
});

const EXPRESSIONS = [
  ["p95", "> 500ms"],
  ["GET /1: errors", "> 1%"],
  ["each GET*: p95", "> 411ms"],
  ["errors", "> 1% over 10s"],
  ["p95", "grows > 20%"],
  ["requests", "changed"],
] as const;

test.each([
  ["changed", ["RUN-1", "--against", "RUN-0"]],
  ["grows", ["RUN-1", "--against-history", "RUN"]],
  ["", ["--pairs", "RUN-0:RUN-1"]],
])(
  "expressions on a facet judge as in a run with its requests only: not %s",
  async (left, given) => {
    const kept = EXPRESSIONS.filter(([, condition]) =>
      left === "" ? condition.startsWith("grows") : !condition.startsWith(left),
    );
    const check = async (name: string, facets: string, location: readonly string[]) => {
      const texts = kept.flatMap(([of, condition]) => ["--fail-if", `${of}${facets} ${condition}`]);
      const words = given.map((word) => word.replaceAll("RUN", name));
      const found = await program.run(["check", ...words, ...texts, "--json", ...location]);
      return {
        ...found,
        out: found.out
          .replaceAll(JSON.stringify(facets).slice(1, -1), "")
          .replaceAll("full", "paid"),
      };
    };
    const own = await check("paid", "", []);
    expect([0, 4]).toContain(own.exitCode);
    for (const facets of [`{scenario="${PAY}"}`, "{scenario!=browse}"]) {
      for (const location of [[], server]) {
        expect(await check("full", facets, location)).toEqual(own);
      }
    }
  },
);

test.each([
  ["p95{scenario=brose} > 1h", "no request with these facets to measure"],
  ["p95{region=eu} grows > 1%", "no request with these facets to measure"],
  ["GET /1: errors{scenario=brose} < 0%", "no endpoint with this label has a request with these"],
  [
    "each GET*: avg{region=eu, scenario=browse} < 0ms",
    "whose label matches this has a request with",
  ],
  [
    "GET /no: avg{scenario=browse} < 0ms",
    "no endpoint with this label has a request with these facets",
  ],
])("what no request has is never kept: %s", async (text, message) => {
  const expression = text.replace("1h", "999s");
  for (const location of [[], server]) {
    const words = ["check", "full-1", "--against", "full-0", "--fail-if", expression, ...location];
    const { exitCode, out } = await program.run(words);
    expect({ exitCode, out }).toEqual({ exitCode: 4, out: expect.stringContaining(message) });
  }
});

test("a facet is not chosen twice", async () => {
  const words = [
    "check",
    "full-1",
    "--where",
    "scenario:browse",
    "--fail-if",
    "p95{scenario=x} > 1s",
  ];
  const { exitCode, error } = await program.run(words);
  expect({ exitCode, error }).toEqual({
    exitCode: 2,
    error: expect.stringContaining("is about the facet scenario, which is chosen for all"),
  });
});

test("endpoints are split by a facet, here and there", async () => {
  const words = ["summary", "full-0", "--by", "scenario", "--where", "scenario!:browse"];
  const { out } = await program.run(words);
  // By hand: 480 / 3 requests, half of them to each endpoint.
  expect(out).toMatch(
    new RegExp(String.raw`^ *80 .*${PAY} › GET /0\n *80 .*${PAY} › GET /1$`, "m"),
  );
  expect(await program.run([...words, ...server])).toMatchObject({ out });
});

test("facets are listed, here and there", async () => {
  const { out } = await program.run(["facets", "full-0"]);
  const rows = [
    "REQUESTS  FACET     VALUE",
    "320       scenario  browse",
    `160       scenario  ${PAY}`,
  ];
  expect(out).toBe(rows.map((row) => `${row}\n`).join(""));
  expect(await program.run(["facets", "full-0", ...server])).toMatchObject({ out });
  expect(await program.run(["facets", "paid-0"])).toMatchObject({ out: "no facets\n" });
});

test("a report and a Parquet file are of a facet", async () => {
  for (const location of [[], server]) {
    const part = ["--where", `scenario:${PAY}`, ...location, "--output", "-"];
    expect((await program.run(["export", "full-0", ...part])).exitCode).toBe(0);
    expect((await program.run(["export", "full-0", ...part, "--where", "a:b"])).exitCode).toBe(1);
  }
});

test.each([
  [["--where", "scenario"], 2, "Expected a facet and its value, such as scenario:browse."],
  [["--where", "scenario:bro"], 1, `no request has scenario "bro"; known: browse, ${PAY}`],
  [["--by", "region"], 1, 'no request has the facet "region"; known: scenario'],
])("%s is an error", async (flags, exitCode, message) => {
  for (const location of [[], server]) {
    const { error, ...others } = await program.run(["summary", "full-0", ...flags, ...location]);
    expect(others).toMatchObject({ exitCode, out: "" });
    expect(error).toContain(message);
  }
});
