import type { Command } from "commander";
import { withPlace } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

export function addMcpCommand(program: Command, shell: Shell, run: Run): void {
  withPlace(program.command("mcp"))
    .summary("let a language model ask about load tests")
    .description(
      "Speaks the Model Context Protocol over standard input and output, for the program that starts\n" +
        "it: read-only tools to list, summarise and compare load tests: docs/mcp.md.",
    )
    .addHelpText("after", EXAMPLES)
    .action((options) => run(async () => (await import("./mcp.ts")).mcpCommand(options, shell)));
}

const EXAMPLES = `
Examples, as the program that asks is told to start it:
  tachograph mcp
  tachograph mcp --url https://results.example.org   (with the key in TACHOGRAPH_KEY)
`;
