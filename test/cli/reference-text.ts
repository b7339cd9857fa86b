import { createFakeProgram } from "../support/fake-program.ts";

const HEAD = `# Commands

The output of \`--help\`, written by \`npm run task docs:cli\` and checked by a test. Options are environment variables, too: \`--keep-days\` is
\`TACHOGRAPH_KEEP_DAYS\`.
`;

/** Variables of options, said once in the head, and the option that every command has. */
const REPEATED = /\s*\(env:\s+TACHOGRAPH_\w+\)|,\s+env:\s+TACHOGRAPH_\w+|\n +-h, --help .*/g;

/** The reference of all commands in Markdown, in the order of the help. */
export async function referenceText(): Promise<string> {
  return [HEAD, ...(await partsOf([]))].join("\n");
}

/** The help of a command and its subcommands. */
async function partsOf(words: readonly string[]): Promise<string[]> {
  const { out } = await createFakeProgram().run([...words, "--help"]);
  const title = `${words.length < 2 ? "##" : "###"} ${["tachograph", ...words].join(" ")}`;
  const parts = [`${title}\n\n\`\`\`text\n${out.trim().replaceAll(REPEATED, "")}\n\`\`\`\n`];
  for (const name of commandsIn(out)) parts.push(...(await partsOf([...words, name])));
  return parts;
}

/** Names of the commands in the help. */
function commandsIn(help: string): readonly string[] {
  const [, list = ""] = /\nCommands:\n((?: .*\n)+)/.exec(help) ?? [];
  const names = [...list.matchAll(/^ {2}([a-z][a-z0-9-]*)/gm)].map(([, name = ""]) => name);
  return names.filter((name) => name !== "help");
}
