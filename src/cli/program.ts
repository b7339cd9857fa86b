import { Command, CommanderError } from "commander";
import { UserError } from "../model/errors.ts";
import { addCompareCommands } from "./compare-commands.ts";
import { addCompletionCommand } from "./completion-command.ts";
import { addDataCommands } from "./data-commands.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { addImportCommand } from "./import-command.ts";
import { addKeysCommands } from "./keys-commands.ts";
import { addLabelsCommand } from "./labels-command.ts";
import { addMcpCommand } from "./mcp-command.ts";
import { addMovingCommands } from "./moving-commands.ts";
import { printable } from "./printable.ts";
import { addServeCommands } from "./serve-command.ts";
import { addReportCommand } from "./report-command.ts";
import type { Shell } from "./shell.ts";
import { addTestsCommands } from "./tests-commands.ts";
import { addTrendCommand } from "./trend-command.ts";

/** Registers the action of a command: what it does, and the exit code it answers. */
export type Run = (action: () => Promise<number>) => Promise<void>;

/**
 * Runs one command line (without the names of the runtime and the script) and answers its exit
 * code. Errors are written, never thrown, except bugs.
 */
export async function runCommandLine(
  words: readonly string[],
  shell: Shell,
  version: string,
): Promise<number> {
  let exitCode: number = EXIT.done;
  const run: Run = async (action) => {
    exitCode = await action();
  };
  try {
    await createProgram(shell, version, run).parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    return reportError(firstError(error), shell);
  }
}

function createProgram(shell: Shell, version: string, run: Run): Command {
  const program = new Command("tachograph")
    .description("Keeps what load tests measured and gives it back per endpoint and per second.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void shell.writeOut(text),
      writeErr: (text) => shell.writeError(text),
    })
    .showHelpAfterError("(add --help for what there is)")
    .addHelpText("after", EXAMPLES);
  addServeCommands(program, shell, run);
  addImportCommand(program, shell, run);
  addKeysCommands(program, shell, run);
  addTestsCommands(program, shell, run);
  addDataCommands(program, shell, run);
  addLabelsCommand(program, shell, run);
  addCompareCommands(program, shell, run);
  addTrendCommand(program, shell, run);
  addReportCommand(program, shell, run);
  addMcpCommand(program, shell, run);
  addMovingCommands(program, shell, run);
  addCompletionCommand(program, shell, run);
  return program;
}

const EXAMPLES = `
Options can also be given as environment variables: --data as TACHOGRAPH_DATA, --base-path as
TACHOGRAPH_BASE_PATH. The help of each command names them. One that is empty is not set.

Exit codes: 0 done, 1 failed, 2 wrong usage or unreadable input, 3 done, but a file was cut short,
(with --strict) rows were rejected or a copy left out what still runs, 4 a limit of a check is
broken, 75 another server uses the data directory, 78 Node is too old, 130 and 143 interrupted.

Examples:
  tachograph import results.jtl --id release-42
  tachograph keys create --name ci --scope read
  tachograph serve
  tachograph metrics release-42 --filter /checkout --format csv
`;

/** What went wrong first, where closing the store went wrong because of it. */
function firstError(error: unknown): unknown {
  const isLater = error instanceof Error && error.name === "SuppressedError";
  return isLater && "suppressed" in error ? firstError(error.suppressed) : error;
}

function reportError(error: unknown, shell: Shell): number {
  if (error instanceof CommanderError) {
    // Help and version end the same way as mistakes do, but are none; the text is written already.
    return error.exitCode === 0 ? EXIT.done : EXIT.unusable;
  }
  if (error instanceof UserError) {
    shell.writeError(`error: ${printable(error.message)}\n`);
    return error.code === "store-in-use" ? EXIT.inUse : exitCodeOf(error.kind);
  }
  throw error;
}
