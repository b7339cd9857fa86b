import { Command, CommanderError, Help, type Option } from "commander";
import { UserError } from "../model/errors.ts";
import { EXIT, exitCodeOf, type Run } from "./exit-codes.ts";
import { printable } from "./output/table.ts";
import { ignoreNo } from "./flags.ts";
import type { CommandContext } from "./command-context.ts";

/** Runs a command line (without runtime and script) and returns its exit code. Reports errors; throws only bugs. */
export async function runCommandLine(
  words: readonly string[],
  context: CommandContext,
  version: string,
): Promise<number> {
  let exitCode: number = EXIT.done;
  const run: Run = async (action) => {
    exitCode = (await action()) ?? EXIT.done;
  };
  try {
    const program = createProgram(context, version);
    await addCommands(program, words, context, run);
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    return reportError(firstError(error), context);
  }
}

function createProgram(context: CommandContext, version: string): Command {
  return new Command("tachograph")
    .description("A results server for load tests: imports, shows, compares and checks test runs.")
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.writeOut(text),
      writeErr: (text) => context.writeError(text),
    })
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError("(see --help)")
    .addHelpText("after", EXAMPLES);
}

/** Without the environment variable: all are named alike. */
function describeOption(option: Option): string {
  const unnamed: Option = Object.create(option, { envVar: { value: undefined } });
  return new Help().optionDescription(unnamed);
}

/** Loads only the commands that the words may mean: help and version need none, completion all. */
async function addCommands(
  program: Command,
  words: readonly string[],
  context: CommandContext,
  run: Run,
): Promise<void> {
  const terms = new Map<string, string>();
  for (const [term, summary, load] of COMMANDS) {
    const [name = ""] = term.split(" ");
    terms.set(name, term);
    const command = program.command(name).summary(summary);
    if (!words.includes(name) && !words.includes("completion")) continue;
    (await load()).defineCommand(command, context, run);
    ignoreNo(command, context.environment);
  }
  // After the commands, which would inherit it.
  program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? new Help().subcommandTerm(command),
  });
}

const EXAMPLES = `
Every option can also be given as an environment variable: --data as TACHOGRAPH_DATA, --base-path
as TACHOGRAPH_BASE_PATH. One that is empty is not set.
Commands on runs in a store take --project NAME, too.

Exit codes: 0 done, 1 failed, 2 wrong usage or unreadable input, 3 done, but a file was truncated,
(with --strict) rows were rejected, a copy skipped unfinished runs or (with --next-pair) a check is
undecided, 4 a threshold of a check failed or could not be evaluated, 75 another server uses the
data directory, 78 Node is too old, 130 and 143 interrupted.

Examples:
  tachograph import results.jtl --id release-42
  tachograph keys create --name ci --scope read
  tachograph serve
  tachograph metrics release-42 --filter /checkout --format csv
`;

type CommandRow = readonly [
  /** With its arguments, as in the help. */
  term: string,
  summary: string,
  load: () => Promise<{ readonly defineCommand: DefineCommand }>,
];

type DefineCommand = (command: Command, context: CommandContext, run: Run) => void;

/** In the order of the help. */
const COMMANDS: readonly CommandRow[] = [
  ["serve [options]", "start the server: web UI and HTTP API", () => import("./commands/serve.ts")],
  ["config [options]", "print all settings of a server", () => import("./commands/config.ts")],
  [
    "import [options] <file...>",
    "import result files into a run",
    () => import("./commands/import.ts"),
  ],
  ["keys", "create, list and revoke access keys", () => import("./commands/access/keys.ts")],
  [
    "links",
    "share runs by link, list and revoke links",
    () => import("./commands/access/links.ts"),
  ],
  [
    "projects [options]",
    "list the projects of a store",
    () => import("./commands/access/projects.ts"),
  ],
  [
    "audit [options]",
    "print who changed what through a server",
    () => import("./commands/access/audit.ts"),
  ],
  ["tests", "list, create, change and delete runs", () => import("./commands/tests.ts")],
  [
    "metrics [options] <id>",
    "print metrics per endpoint and second",
    () => import("./commands/metrics.ts"),
  ],
  ["summary [options] <id>", "print statistics of a run", () => import("./commands/summary.ts")],
  ["failures [options] <id>", "print why requests failed", () => import("./commands/failures.ts")],
  [
    "measures [options] <id> [name]",
    "print what else was measured",
    () => import("./commands/measures.ts"),
  ],
  ["events", "list, add and remove events of runs", () => import("./commands/events.ts")],
  [
    "verify [options]",
    "check the store for damage",
    async () => ({ defineCommand: (await import("./commands/store.ts")).defineVerify }),
  ],
  [
    "backup [options] <file>",
    "write a copy of the store while it is in use",
    async () => ({ defineCommand: (await import("./commands/store.ts")).defineBackup }),
  ],
  [
    "restore [options] <file>",
    "create a store from a backup",
    async () => ({ defineCommand: (await import("./commands/store.ts")).defineRestore }),
  ],
  [
    "labels [options] <id>",
    "print endpoint labels and suggest how to group them",
    () => import("./commands/labels.ts"),
  ],
  [
    "compare [options] <id> --against <base>",
    "compare a run with an earlier one",
    () => import("./commands/compare.ts"),
  ],
  [
    "capacity [options] <id>",
    "print the load that the system can take",
    () => import("./commands/capacity.ts"),
  ],
  ["check [options] [id]", "check a run against thresholds", () => import("./commands/check.ts")],
  [
    "thresholds",
    "convert thresholds, and keep them by name",
    () => import("./commands/thresholds.ts"),
  ],
  [
    "trend [options] [name]",
    "show which run introduced a change",
    () => import("./commands/trend.ts"),
  ],
  [
    "power [options] <name>",
    "tell how many runs find a change",
    () => import("./commands/power.ts"),
  ],
  [
    "report [options] <id>",
    "write a self-contained HTML report",
    () => import("./commands/report.ts"),
  ],
  ["export [options] <id>", "write a run as a Parquet file", () => import("./commands/export.ts")],
  ["mcp [options]", "start an MCP server for LLM clients", () => import("./commands/mcp.ts")],
  [
    "migrate [options]",
    "create or upgrade the ClickHouse tables",
    async () => ({ defineCommand: (await import("./commands/store.ts")).defineMigrate }),
  ],
  ["copy [options]", "copy runs from one store to another", () => import("./commands/copy.ts")],
  [
    "completion <shell>",
    "print a shell completion script",
    () => import("./commands/completion.ts"),
  ],
];

/** The original error, without those of closing the store. */
function firstError(error: unknown): unknown {
  const isLater = error instanceof Error && error.name === "SuppressedError";
  return isLater && "suppressed" in error ? firstError(error.suppressed) : error;
}

function reportError(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) {
    // Help and version throw, but are no errors; the text is already written.
    return error.exitCode === 0 ? EXIT.done : EXIT.unusable;
  }
  if (error instanceof UserError) {
    context.writeError(`error: ${printable(error.message)}\n`);
    return error.code === "store-in-use" ? EXIT.inUse : exitCodeOf(error.kind);
  }
  throw error;
}
