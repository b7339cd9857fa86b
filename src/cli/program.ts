import { Command, CommanderError, Help, type Option } from "commander";
import { UserError } from "../model/errors.ts";
import { EXIT, EXIT_OF_ERROR } from "./exit-codes.ts";
import { printable } from "./output/table.ts";
import { ignoreNo } from "./flags.ts";
import type { CommandContext, DefineCommand, Run } from "./command-context.ts";

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
    for (const command of program.commands) {
      if (!words.includes(command.name())) continue;
      for (const each of [command, ...command.commands]) answerVersion(each, version);
    }
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
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void context.writeOut(text),
      writeErr: (text) => context.writeError(text),
    })
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError("(see --help)")
    .addHelpText("after", EXAMPLES);
}

/** Commands whose options are positional do not have those of the program. Its help has it once. */
function answerVersion(command: Command, version: string): void {
  command.version(version);
  command.options.at(-1)?.hideHelp();
}

/** Without the environment variable: all are named alike. */
function describeOption(option: Option): string {
  const unnamed: Option = Object.create(option, { envVar: { value: undefined } });
  return new Help().optionDescription(unnamed);
}

/** Loads only the commands that the words may mean: help and version need none. */
async function addCommands(
  program: Command,
  words: readonly string[],
  context: CommandContext,
  run: Run,
): Promise<void> {
  const terms = new Map<string, string>();
  for (const [term, summary] of COMMANDS) {
    const name = term.replace(/ .*/, "") as CommandName;
    terms.set(name, term);
    const command = program.command(name).summary(summary);
    if (!words.includes(name)) continue;
    (await LOADERS[name]()).defineCommand(command, context, run);
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
(with --strict) rows were rejected or a copy skipped unfinished runs, 4 a threshold of a check
failed or could not be evaluated, 75 another server uses the data directory, 78 Node is too old,
130 and 143 interrupted.

Examples:
  tachograph import results.jtl --id release-42
  tachograph keys create --name ci --scope read
  tachograph serve
  tachograph metrics release-42 --filter /checkout --format csv
`;

/** With their arguments, as in the help and in its order. */
const COMMANDS = [
  ["serve [options]", "start the server: web UI and HTTP API"],
  ["config [options]", "print all settings of a server"],
  ["import [options] <file...>", "import result files into a run"],
  ["keys", "create, list and revoke access keys"],
  ["links", "share runs by link, list and revoke links"],
  ["projects [options]", "list the projects of a store"],
  ["audit [options]", "print who changed what through a server"],
  ["tests", "list, create, change and delete runs"],
  ["metrics [options] <id>", "print metrics per endpoint and second"],
  ["summary [options] <id>", "print statistics of a run"],
  ["failures [options] <id>", "print why requests failed"],
  ["measures [options] <id> [name]", "print what else was measured"],
  ["events", "list, add and remove events of runs"],
  ["attachments", "attach files to runs, list, get and remove them"],
  ["verify [options]", "check the store for damage"],
  ["backup [options] <file>", "write a copy of the store while it is in use"],
  ["restore [options] <file>", "create a store from a backup"],
  ["labels [options] <id>", "print endpoint labels by requests"],
  ["facets [options] <id>", "print facets, such as scenarios and hosts, with their values"],
  ["compare [options] <id> --against <base>", "compare a run with an earlier one, or several"],
  ["capacity [options] <id>", "print the load that the system can take"],
  ["check [options] [id]", "check a run against thresholds"],
  ["thresholds", "convert thresholds, and keep them by name"],
  ["trend [options] [name]", "show which run introduced a change"],
  ["report [options] <id>", "write a self-contained HTML report"],
  ["export [options] <id>", "write a run as a Parquet file"],
  ["mcp [options]", "start an MCP server for LLM clients"],
  ["copy [options]", "copy runs from one store to another"],
] as const;

type NameIn<Term> = Term extends `${infer Name} ${string}` ? Name : Term;

type CommandName = NameIn<(typeof COMMANDS)[number][0]>;

interface CommandModule {
  readonly defineCommand: DefineCommand;
}

const LOADERS: Readonly<Record<CommandName, () => Promise<CommandModule>>> = {
  serve: () => import("./commands/serve.ts"),
  config: () => import("./commands/config.ts"),
  import: () => import("./commands/import.ts"),
  keys: () => import("./commands/access/keys.ts"),
  links: () => import("./commands/access/links.ts"),
  projects: () => import("./commands/access/projects.ts"),
  audit: () => import("./commands/access/audit.ts"),
  tests: () => import("./commands/tests.ts"),
  metrics: () => import("./commands/metrics.ts"),
  summary: () => import("./commands/summary.ts"),
  failures: () => import("./commands/failures.ts"),
  measures: () => import("./commands/measures.ts"),
  events: () => import("./commands/events.ts"),
  attachments: () => import("./commands/attachments.ts"),
  verify: async () => ({ defineCommand: (await import("./commands/store.ts")).defineVerify }),
  backup: async () => ({ defineCommand: (await import("./commands/store.ts")).defineBackup }),
  restore: async () => ({ defineCommand: (await import("./commands/store.ts")).defineRestore }),
  labels: () => import("./commands/labels/labels.ts"),
  facets: () => import("./commands/labels/facets.ts"),
  compare: () => import("./commands/compare.ts"),
  capacity: () => import("./commands/capacity.ts"),
  check: () => import("./commands/check.ts"),
  thresholds: () => import("./commands/thresholds.ts"),
  trend: () => import("./commands/trend.ts"),
  report: () => import("./commands/report.ts"),
  export: () => import("./commands/export.ts"),
  mcp: () => import("./commands/mcp.ts"),
  copy: () => import("./commands/copy.ts"),
};

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
    return error.code === "store-in-use" ? EXIT.inUse : EXIT_OF_ERROR[error.kind];
  }
  throw error;
}
