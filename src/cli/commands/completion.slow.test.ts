/** Asks the shells themselves what they complete. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createFakeProgram } from "../../../test/support/fake-program.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tachograph-completion-"));
mkdirSync(path.join(folder, "data"));
writeFileSync(path.join(folder, "results.jtl"), "");
afterAll(() => rmSync(folder, { recursive: true }));

/** How to ask a shell for completions of these words; the last one is incomplete. */
interface CompletingShell {
  readonly name: string;
  readonly questionOf: (script: string, words: readonly string[]) => readonly string[];
}

const word = (text: string): string => `'${text}'`;

/** In zsh only the line editor completes, so the script prints what it requests. */
const ZSH_STUBS = `
compdef() { }
_describe() { local each; for each in "\${(@P)@[-1]}"; do print -r -- "\${each%%:*}"; done }
_files() { if [[ $1 == -/ ]]; then print -l -- *(/); else print -l -- *; fi }
`;

const SHELLS: readonly CompletingShell[] = [
  {
    name: "bash",
    questionOf: (script, words) => [
      "--norc",
      "-c",
      `${script}\nCOMP_WORDS=(${words.map(word).join(" ")}) COMP_CWORD=${words.length - 1}
      _tachograph; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
  },
  {
    name: "zsh",
    questionOf: (script, words) => [
      "-f",
      "-c",
      `${ZSH_STUBS}\n${script}\nwords=(${words.map(word).join(" ")}) CURRENT=${words.length}; _tachograph`,
    ],
  },
  {
    name: "fish",
    questionOf: (script, words) => ["-N", "-c", `${script}\ncomplete -C ${word(words.join(" "))}`],
  },
];

const isThere = ({ name }: CompletingShell): boolean =>
  spawnSync(name, ["-c", "true"]).error === undefined;

async function completionsOf(shell: CompletingShell, words: readonly string[]): Promise<string[]> {
  const { out: script } = await createFakeProgram().run(["completion", shell.name]);
  const question = shell.questionOf(script, words);
  const out = execFileSync(shell.name, question, { cwd: folder, encoding: "utf8" });
  const candidates = out.split("\n").map((line) => (line.split("\t")[0] ?? "").replace(/\/$/, ""));
  return candidates.filter((candidate) => candidate !== "");
}

for (const shell of SHELLS) {
  test.skipIf(!isThere(shell)).each([
    ["commands", ["tachograph", ""], ["serve", "import", "keys", "completion"]],
    ["commands below a command", ["tachograph", "keys", ""], ["create", "list", "revoke"]],
    ["flags", ["tachograph", "keys", "create", "--"], ["--name", "--scope", "--data"]],
    [
      "flags behind a value",
      ["tachograph", "keys", "create", "--name", "serve", "--s"],
      ["--scope"],
    ],
    ["files", ["tachograph", "import", ""], ["results.jtl"]],
    ["files of a flag", ["tachograph", "check", "--junit", ""], ["results.jtl"]],
    ["folders", ["tachograph", "import", "--data", ""], ["data"]],
    ["choices", ["tachograph", "completion", ""], ["bash", "zsh", "fish"]],
  ])(`${shell.name} completes %s`, async (_, words, wanted) => {
    expect(await completionsOf(shell, words)).toEqual(expect.arrayContaining(wanted));
  });

  test.skipIf(!isThere(shell)).each([
    ["files where a folder is wanted", ["tachograph", "import", "--data", ""], "results.jtl"],
    ["what only its writer knows", ["tachograph", "keys", "create", "--name", ""], "data"],
    ["flags of other commands", ["tachograph", "verify", "--"], "--name"],
    ["commands of other commands", ["tachograph", "keys", ""], "prune"],
  ])(`${shell.name} does not complete %s`, async (_, words, unwanted) => {
    expect(await completionsOf(shell, words)).not.toContain(unwanted);
  });
}

test("an unknown shell is rejected with the list of known ones", async () => {
  const { exitCode, error } = await createFakeProgram().run(["completion", "tcsh"]);
  expect(exitCode).toBe(2);
  expect(error).toContain("bash, zsh, fish");
});
