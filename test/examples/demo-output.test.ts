import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../support/fake-program.ts";
import { codeBlocks, ROOT } from "./blocks.ts";

const COMMAND = /^\$ npx tachograph (.*)\n/;

/** What the documents show of the demo's runs, at this width. */
const COLUMNS = "100";

const shown = codeBlocks()
  .filter(({ language }) => language === "console")
  .map(({ name, text }) => {
    const [line = "", words = ""] = COMMAND.exec(text) ?? [];
    return { name, words, output: text.slice(line.length) };
  });

const program = createFakeProgram();

beforeAll(async () => {
  for (const number of ["-1", "-2", "-3", "-4", "-5", ""]) {
    const file = path.join(ROOT, `examples/demo/shop${number}.jtl.gz`);
    const words = ["import", file, "--id", `demo${number}`, "--name", "Web shop"];
    const { exitCode, error } = await program.run(words);
    if (exitCode !== 0) throw new Error(error);
  }
});

/** A line `…` stands for any lines. */
function patternOf(output: string): RegExp {
  const parts = output
    .split(/^…\n/m)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(String.raw`(?:.*\n)*`)}$`);
}

test.each(shown)("$name prints what is shown", async ({ words, output }) => {
  const split = [...words.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const { out, error } = await program.run(split, "", { COLUMNS });
  expect(error).toBe("");
  expect(out).toMatch(patternOf(output));
});
