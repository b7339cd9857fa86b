import type { CommandContext, DefineCommand } from "../command-context.ts";
import { withLocation } from "../flags.ts";
import { openApi, type LocationOptions, type OpenedApi } from "../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(command)
    .description(
      "Serves the Model Context Protocol over standard input and output: read-only tools that list, " +
        "summarise and compare runs: docs/mcp.md.",
    )
    .addHelpText("after", EXAMPLES)
    .action((options) => run(() => answerModel(options, context)));
};

const EXAMPLES = `
Examples, as configured in the client:
  tachograph mcp
  tachograph mcp --url https://results.example.org   (with the key in TACHOGRAPH_KEY)
`;

/** MCP clients give up after a minute without saying why. */
const PATIENCE_MS = 10_000;

export async function answerModel(
  options: LocationOptions,
  context: CommandContext,
): Promise<void> {
  const asking: CommandContext = {
    ...context,
    servers: {
      ...context.servers,
      openApi: (address) => context.servers.openApi({ ...address, patienceMs: PATIENCE_MS }),
    },
  };
  const open = (): Promise<OpenedApi> => openApi(options, asking);
  // Fail now, not at the model's first question.
  await (await open())[Symbol.asyncDispose]();
  await context.servers.serveTools(open);
}
