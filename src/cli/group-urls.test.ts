import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

const FIXTURES = path.join(import.meta.dirname, "../../test/fixtures");
const K6 = path.join(FIXTURES, "k6-csv/gen-k6-1.8.1-main.csv.gz");
const K6_JSON = path.join(FIXTURES, "k6-json/gen-k6-1.8.1-main.json.gz");
const HOST = "http://127.0.0.1:9110";

interface Summary {
  readonly endpoints: readonly { readonly label: string; readonly count: number }[];
}

async function importGrouped(file: string, words: readonly string[]) {
  const program = createFakeProgram();
  const { exitCode, out, error } = await program.run(["import", file, "--id", "run", ...words]);
  expect(error).toBe("");
  expect(exitCode).toBe(0);
  const { endpoints } = JSON.parse(
    (await program.run(["summary", "run", "--json"])).out,
  ) as Summary;
  const counts = Object.fromEntries(endpoints.map(({ label, count }) => [label, count]));
  return { out, counts, labels: endpoints.length };
}

/** Counted with Python's csv module: 41 names, 20 of them of /search with 91 requests together. */
test.each([[K6], [K6_JSON]])("k6 output to %s has a label for each page", async (file) => {
  const { out, counts, labels } = await importGrouped(file, ["--group-urls"]);

  expect(counts).toMatchObject({
    [`${HOST}/search?q={id}&n={id}`]: 91,
    [`${HOST}/?from={id}`]: 2,
    [`${HOST}/old`]: 21,
    [`${HOST}/products`]: 21,
    "${}/products/${}": 91,
    "Ünïcode/ñ": 18,
    '商品,"列表" 🚀': 91,
  });
  expect(labels).toBe(41 - 20 + 1 - 2 + 1);
  expect(out).toContain("note: labels folded into groups: 22 into 2\n");
});

test("rules replace paths and queries before ids are detected", async () => {
  const words = ["--group", "/search, /o*", "--group", "/**", "--group-urls"];
  const { counts, labels } = await importGrouped(K6, words);

  expect(counts).toMatchObject({ [`${HOST}/search`]: 91, [`${HOST}/o*`]: 21, [`${HOST}/**`]: 23 });
  expect(labels).toBe(41 - 24 + 3);
});

test("without --group-urls, rules alone fold", async () => {
  const { counts, labels } = await importGrouped(K6, ["--group", "/search"]);

  expect(counts).toMatchObject({ [`${HOST}/search`]: 91, [`${HOST}/?from=setup`]: 1 });
  expect(labels).toBe(41 - 20 + 1);
});

test("the same file with another grouping is recognised", async () => {
  const program = createFakeProgram();
  await program.run(["import", K6, "--id", "run"]);
  const { exitCode, out } = await program.run(["import", K6, "--id", "run", "--group-urls"]);

  expect(exitCode).toBe(0);
  expect(out).toContain("already");
  const { out: text } = await program.run(["summary", "run", "--json"]);
  expect((JSON.parse(text) as Summary).endpoints).toHaveLength(41);
});

test("an invalid rule is a usage error and stores nothing", async () => {
  const program = createFakeProgram();
  const { exitCode, error } = await program.run(["import", K6, "--group", "/a/*,products/*"]);

  expect(exitCode).toBe(2);
  expect(error).toContain('cannot use the rule "products/*": want a path that begins with /');
  expect(JSON.parse((await program.run(["tests", "list", "--json"])).out)).toEqual([]);
});
