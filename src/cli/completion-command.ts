import { Argument, type Command } from "commander";
import { EXIT } from "./exit-codes.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

/** Shells that there is a completion for. */
const SHELLS = ["bash", "zsh", "fish"] as const;

export function addCompletionCommand(program: Command, shell: Shell, run: Run): void {
  program
    .command("completion")
    .summary("print what makes a shell complete commands and flags")
    .description("Prints a script that makes a shell complete commands, flags and files.")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .addHelpText("after", EXAMPLES)
    .action((name: (typeof SHELLS)[number]) =>
      run(async () => {
        const { commandTree } = await import("./completion/command-tree.ts");
        const writeScript = await scriptOf(name);
        await shell.writeOut(writeScript(commandTree(program)));
        return EXIT.done;
      }),
    );
}

async function scriptOf(name: (typeof SHELLS)[number]) {
  switch (name) {
    case "bash":
      return (await import("./completion/bash-script.ts")).bashScript;
    case "zsh":
      return (await import("./completion/zsh-script.ts")).zshScript;
    case "fish":
      return (await import("./completion/fish-script.ts")).fishScript;
    default:
      throw new Error(`BUG: no script for ${String(name satisfies never)}`);
  }
}

const EXAMPLES = `
Examples:
  tachograph completion bash > ~/.local/share/bash-completion/completions/tachograph
  tachograph completion zsh > ~/.zfunc/_tachograph   (a folder of $fpath)
  tachograph completion fish > ~/.config/fish/completions/tachograph.fish
`;
