import { AUDIT_LIMIT_DEFAULT, type AuditEntryJson } from "../../../api/audit.ts";
import type { CommandContext, DefineCommand } from "../../command-context.ts";
import { flag, wholeNumber, withLocation } from "../../flags.ts";
import { formatFittedTable, jsonLine, printable } from "../../output/table.ts";
import { pageAfter } from "../../targets/list-load-tests.ts";
import { type LocationOptions, openApi } from "../../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(
    command
      .description(
        "Prints the changes made through a server, latest first: who changed what, and when.",
      )
      .addOption(flag("--target <name>", "only changes of this run, key, link or test"))
      .addOption(
        flag("--limit <n>", "at most this many")
          .argParser(wholeNumber(1, LIMIT_MAX))
          .default(AUDIT_LIMIT_DEFAULT),
      )
      .addOption(flag("--json", "write JSON"))
      .addHelpText("after", EXAMPLES),
  ).action((options) => run(() => printAudit(options, context)));
};

const EXAMPLES = `
Examples:
  tachograph audit --target release-42
`;

const LIMIT_MAX = 100_000;
const PAGE = 1000;

async function printAudit(
  options: LocationOptions & { readonly target?: string; readonly limit: number },
  context: CommandContext,
): Promise<void> {
  const { target, limit } = options;
  await using api = await openApi(options, context);
  const entries: AuditEntryJson[] = [];
  let after: string | undefined;
  do {
    const page = await api.ask("listAudit", {
      target,
      after,
      limit: Math.min(PAGE, limit - entries.length),
    });
    entries.push(...page.entries);
    after = pageAfter(after, page.next);
  } while (after !== undefined && entries.length < limit);
  if (options.json) return context.writeOut(jsonLine(entries));
  const rows = entries.map(({ at, key, operation, target: what, outcome, details }) =>
    [at.replace(/T(.*)\..*/, " $1"), key, operation, what, outcome, details].map((cell) =>
      printable(cell ?? "-"),
    ),
  );
  const head = ["TIME (UTC)", "KEY", "OPERATION", "TARGET", "OUTCOME", "DETAILS"];
  const { columns: terminalColumns } = context.terminal;
  await context.writeOut(formatFittedTable([head, ...rows], { terminalColumns, optional: [] }));
}
