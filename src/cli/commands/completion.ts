import { Argument, type Command } from "commander";
import { EXIT, type Run } from "../exit-codes.ts";
import type { CommandContext } from "../command-context.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  command
    .description("Prints a script that makes a shell complete commands, flags and files.")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", EXAMPLES)
    .action((name: keyof typeof SCRIPTS) =>
      run(async () => {
        const { commandTree } = await import("../completion/command-tree.ts");
        const writeScript = await SCRIPTS[name]();
        await context.writeOut(writeScript(commandTree(command.parent ?? command)));
        return EXIT.done;
      }),
    );
}

/** By the shells that there is a completion for. */
const SCRIPTS = {
  bash: async () => (await import("../completion/bash-script.ts")).bashScript,
  zsh: async () => (await import("../completion/zsh-script.ts")).zshScript,
  fish: async () => (await import("../completion/fish-script.ts")).fishScript,
} as const;

const EXAMPLES = `
Examples:
  tachograph completion bash > ~/.local/share/bash-completion/completions/tachograph
  tachograph completion zsh > ~/.zfunc/_tachograph   (a folder of $fpath)
  tachograph completion fish > ~/.config/fish/completions/tachograph.fish
`;
