import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

const K6 = path.join(import.meta.dirname, "../../test/fixtures/k6-csv/gen-k6-1.8.1-main.csv.gz");

async function importWith(words: readonly string[]) {
  const program = createFakeProgram();
  const ended = await program.run(["import", K6, "--id", "run", ...words]);
  const by = async (name: string) => {
    const { out } = await program.run(["summary", "run", "--by", name, "--json"]);
    return out;
  };
  return { ...ended, by };
}

test("--facet makes tags facets, and says which of them no request has", async () => {
  const { exitCode, out } = await importWith(["--facet", "method", "--facet", "region"]);
  expect(exitCode).toBe(0);
  expect(out).toContain("note: facet region is in no request of this source\n");
  expect(out).not.toContain("facet method");
});

test.each([
  [["--facet", "a b"], 'cannot use "a b" as a facet'],
  [["--facet", "a,b,c,d,e,f,g,h,i"], "got 9 facets, expected at most 8"],
])("%j is refused before anything is read", async (words, message) => {
  const { exitCode, error } = await importWith(words);
  expect(exitCode).toBe(2);
  expect(error).toContain(message);
});
