import type { CopiedKeys, CopyOutcome } from "../../copy/copy-load-tests.ts";
import type { CopiedLoadTest, CopyStep } from "../../copy/copy-load-test.ts";
import { badParameter } from "../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { flag, list } from "../flags.ts";
import { formatBytes, formatCount, formatDuration } from "../output/format-quantity.ts";
import { jsonLine, printable } from "../output/table.ts";
import { openStoreAt } from "../targets/opened-store.ts";
import {
  parseStoreLocation,
  type StoreLocation,
  withoutPasswords,
} from "../targets/store-location.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Copies runs with all their data, then reads both sides and compares them. Repeat the command to " +
        "continue an interrupted copy: docs/copy.md.",
    )
    .requiredOption(
      "--from <store>",
      "data directory, URL of a PostgreSQL database, or @FILE with one",
    )
    .requiredOption("--to <store>", "another; a missing directory is created")
    .addOption(flag("--id <list>", "runs to copy (default: all)").argParser(list))
    .addOption(flag("--keys", "also copy the access keys"))
    .addOption(flag("--even-running", "copy unfinished runs as they are now"))
    .addOption(flag("--json", "write JSON"))
    .addHelpText("after", EXAMPLES)
    .action((options) => run(() => copyBetweenStores(options, context)));
};

const EXAMPLES = `
Examples:
  tachograph copy --from ~/.local/share/tachograph --to /srv/tachograph --keys
  tachograph copy --from /srv/tachograph --to /srv/archive --id release-41,release-42
  tachograph copy --from /srv/tachograph --to postgres://tachograph@db.example.org/tachograph --keys
`;

const REFRESH_MS = 200;

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly id?: readonly string[];
  readonly keys?: true;
  readonly evenRunning?: true;
  readonly json?: true;
}

/** Prints the outcome of each copy. Exit code 1 if one failed or differs, 3 if one was skipped as it is running. */
async function copyBetweenStores(options: CopyOptions, context: CommandContext): Promise<number> {
  const locations = locationsOf(options, context);
  const startedAtMs = context.now();
  await using from = await openStoreAt(locations.from, {}, context);
  // What is stored is never over the limits.
  const most = Number.MAX_SAFE_INTEGER;
  const limits = { labelsMax: most, facetCombinationsMax: most, facetSeriesMax: most };
  await using to = await openStoreAt(locations.to, limits, context, { mayCreate: true });
  const outcomes: CopyOutcome[] = [];
  const progress = showCopyProgress(context);
  const request = { ids: options.id, evenRunning: options.evenRunning === true };
  const dependencies = {
    from: from.store,
    to: to.store,
    progress: progress.report,
    interrupted: context.interrupted,
    now: () => context.now(),
  };
  const { copyKeys, copyLoadTests } = await import("../../copy/copy-load-tests.ts");
  for await (const outcome of copyLoadTests(request, dependencies)) {
    progress.clear();
    outcomes.push(outcome);
    if (!options.json) await context.writeOut(linesOf(outcome));
  }
  const keys = options.keys && (await copyKeys(from.store.keys, to.store.keys));
  const report: CopyReport = { outcomes, keys, elapsedMs: context.now() - startedAtMs };
  await context.writeOut(options.json ? jsonOf(report) : textOf(report));
  return exitCodeOf(report);
}

interface CopyReport {
  readonly outcomes: readonly CopyOutcome[];
  readonly keys: CopiedKeys | undefined;
  readonly elapsedMs: number;
}

function locationsOf(
  { from, to }: CopyOptions,
  { environment }: CommandContext,
): { readonly from: StoreLocation; readonly to: StoreLocation } {
  const locations = {
    from: parseStoreLocation(from, environment),
    to: parseStoreLocation(to, environment),
  };
  const { directory, postgres } = locations.to;
  const isSame = locations.from.directory === directory && locations.from.postgres === postgres;
  if (!isSame) return locations;
  const place = withoutPasswords(postgres ?? directory);
  throw badParameter(`--from and --to are the same place: ${place}`);
}

function linesOf({ scope: { project, environment }, loadTest, result }: CopyOutcome): string {
  const id = [project, environment, loadTest.id].filter((part) => part !== undefined).join("/");
  if ("leftOut" in result) return `${id}: left out: ${printable(result.leftOut)}\n`;
  const { sources, copiedSources, points, differences } = result.copied;
  const found = `${formatCount(sources, "source")}, ${copiedSources} of them new`;
  const line = `${id}: ${found}, ${formatCount(points, "point")} sent`;
  if (differences.length === 0) return `${line}, both sides are the same\n`;
  return `${line}, NOT THE SAME:\n${indented(differences)}`;
}

function indented(differences: readonly string[]): string {
  return differences.map((difference) => `  ${printable(difference)}\n`).join("");
}

function textOf({ outcomes, keys, elapsedMs }: CopyReport): string {
  const copied = copiedIn(outcomes);
  const [sources, points, bytes] = [
    sumOf(copied, ({ copiedSources }) => copiedSources),
    sumOf(copied, (each) => each.points),
    sumOf(copied, (each) => each.bytes),
  ];
  const perSecond = 1000 / Math.max(1, elapsedMs);
  const lines = [
    `${formatCount(copied.length, "run")}, ${formatCount(sources, "new source")}, ` +
      `${formatCount(points, "point")} in ${formatDuration(elapsedMs)}: ` +
      `${formatCount(Math.round(points * perSecond), "point")}/s, ${formatBytes(bytes * perSecond)}/s`,
  ];
  if (keys !== undefined) lines.push(formatCount(keys.keys, "key"));
  return `${lines.join("\n")}\n${indented(keys?.differences ?? [])}`;
}

function jsonOf({ outcomes, keys, elapsedMs }: CopyReport): string {
  const loadTests = outcomes.map(({ scope, loadTest: { id }, result }) => ({
    ...scope,
    id,
    ...("copied" in result ? result.copied : result),
  }));
  return jsonLine({ loadTests, keys, elapsedMs });
}

function exitCodeOf({ outcomes, keys }: CopyReport): number {
  const isDifferent =
    copiedIn(outcomes).some(({ differences }) => differences.length > 0) ||
    (keys?.differences.length ?? 0) > 0;
  const leftOut = outcomes.flatMap(({ result }) => ("leftOut" in result ? result : []));
  if (isDifferent || leftOut.some(({ isRunning }) => !isRunning)) return EXIT.failed;
  return leftOut.length > 0 ? EXIT.incomplete : EXIT.done;
}

function copiedIn(outcomes: readonly CopyOutcome[]): readonly CopiedLoadTest[] {
  return outcomes.flatMap(({ result }) => ("copied" in result ? result.copied : []));
}

function sumOf(copied: readonly CopiedLoadTest[], of: (each: CopiedLoadTest) => number): number {
  return copied.reduce((sum, each) => sum + of(each), 0);
}

interface CopyProgress {
  readonly report: (step: CopyStep) => void;
  clear(): void;
}

/** On a terminal only. */
function showCopyProgress(
  context: Pick<CommandContext, "writeError" | "terminal" | "now">,
): CopyProgress {
  let shown: CopyStep | undefined;
  let shownAtMs = 0;
  return {
    report(step) {
      const isSame = shown?.loadTestId === step.loadTestId && shown.doing === step.doing;
      shown = { ...step, points: step.points + (isSame ? (shown?.points ?? 0) : 0) };
      if (!context.terminal.errorIsTerminal || context.now() - shownAtMs < REFRESH_MS) return;
      shownAtMs = context.now();
      const points = formatCount(shown.points, "point");
      context.writeError(`\r\u001b[K${step.doing} ${step.loadTestId}: ${points}`);
    },
    clear() {
      if (context.terminal.errorIsTerminal && shown !== undefined) context.writeError("\r\u001b[K");
      shown = undefined;
    },
  };
}
