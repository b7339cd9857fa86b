import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../support/fake-program.ts";
import { referenceText } from "./reference-text.ts";

test("docs/cli.md says of every command what its help says (npm run task docs:cli)", async () => {
  const file = path.join(import.meta.dirname, "../../docs/cli.md");
  expect(readFileSync(file, "utf8")).toBe(await referenceText());
});

// The list is written without loading the commands, which have arguments and flags.
test("the program lists each command with the arguments and flags that it has", async () => {
  const program = createFakeProgram();
  const { out } = await program.run(["--help"]);
  const terms = [...out.matchAll(/^ {2}([a-z]+)((?: (?:\[\S+\]|<\S+>))*)(?: {2}|$)/gm)];
  expect(terms.length).toBeGreaterThanOrEqual(20);
  for (const [, name = "", rest = ""] of terms) {
    if (name === "help") continue;
    const { out: help } = await program.run([name, "--help"]);
    const [, usage = ""] = /^Usage: tachograph (.*)/.exec(help) ?? [];
    // Usage counts --help as a flag, and says what follows a group.
    const hasFlags = [...help.matchAll(/^ {2}(?:-\w, )?--/gm)].length > 1;
    const wanted = usage.replace(" [command]", "").replace(hasFlags ? "" : " [options]", "");
    expect(`${name}${rest}`).toBe(wanted);
  }
});

test("the terminal alone breaks the lines of descriptions", async () => {
  const text = await referenceText();
  const paragraphs = text.matchAll(/^Usage: (?:.+\n)+\n((?:.+\n)+)/gm);
  // A line that the width of 80 columns breaks leaves no room for the next word.
  const early = [...paragraphs].flatMap(([, paragraph = ""]) => {
    const lines = paragraph.trimEnd().split("\n");
    return lines.filter((line, index) => {
      const [next = ""] = (lines[index + 1] ?? "").split(" ");
      return next !== "" && line.length + 1 + next.length < 80;
    });
  });
  expect(early).toEqual([]);
});
