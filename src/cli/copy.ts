import { UserError } from "../model/errors.ts";
import { type CopiedKeys, copyKeys } from "../operations/copy/copy-keys.ts";
import type { CopiedLoadTest } from "../operations/copy/copy-load-test.ts";
import { copyLoadTests, type CopyOutcome } from "../operations/copy/copy-load-tests.ts";
import { showCopyProgress } from "./copy-progress.ts";
import { EXIT } from "./exit-codes.ts";
import { formatBytes, formatCount, formatDuration } from "./format-quantity.ts";
import { openStoreAt } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { describePlace, parseStorePlace, type StorePlace } from "./store-place.ts";

/** What the flags of `copy` say. */
export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly id?: readonly string[];
  readonly keys?: true;
  readonly evenRunning?: true;
  readonly json?: true;
}

/**
 * Copies load tests from one store to another and prints what became of each. Exit code 1 where one
 * could not be copied or is not the same there, 3 where one was left out because it is running.
 */
export async function copyCommand(options: CopyOptions, shell: Shell): Promise<number> {
  const places = placesOf(options, shell);
  const startedAtMs = shell.now();
  await using from = await openStoreAt(places.from, {}, shell);
  // Labels that are stored already are not too many.
  const labelsMax = Number.MAX_SAFE_INTEGER;
  await using to = await openStoreAt(places.to, { labelsMax }, shell, { mayCreate: true });
  const outcomes: CopyOutcome[] = [];
  const progress = showCopyProgress(shell);
  const wish = { ids: options.id, evenRunning: options.evenRunning === true };
  const dependencies = {
    from: from.store,
    to: to.store,
    progress: progress.tell,
    interrupted: shell.interrupted,
    now: () => shell.now(),
  };
  for await (const outcome of copyLoadTests(wish, dependencies)) {
    progress.clear();
    outcomes.push(outcome);
    if (!options.json) await shell.writeOut(linesOf(outcome));
  }
  const keys = options.keys && (await copyKeys(from.store.keys, to.store.keys));
  const report: CopyReport = { outcomes, keys, elapsedMs: shell.now() - startedAtMs };
  await shell.writeOut(options.json ? jsonOf(report) : textOf(report));
  return exitCodeOf(report);
}

interface CopyReport {
  readonly outcomes: readonly CopyOutcome[];
  readonly keys: CopiedKeys | undefined;
  readonly elapsedMs: number;
}

function placesOf(
  { from, to }: CopyOptions,
  { environment }: Shell,
): { readonly from: StorePlace; readonly to: StorePlace } {
  const places = { from: parseStorePlace(from, environment), to: parseStorePlace(to, environment) };
  const [here, there] = [places.from, places.to].map(describePlace);
  if (here !== there) return places;
  throw new UserError("bad-parameter", `--from and --to are the same place: ${there}`);
}

function linesOf({ loadTest: { id }, result }: CopyOutcome): string {
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
    `${formatCount(copied.length, "load test")}, ${formatCount(sources, "new source")}, ` +
      `${formatCount(points, "point")} in ${formatDuration(elapsedMs)}: ` +
      `${formatCount(Math.round(points * perSecond), "point")}/s, ${formatBytes(bytes * perSecond)}/s`,
  ];
  if (keys !== undefined) lines.push(formatCount(keys.keys, "key"));
  return `${lines.join("\n")}\n${indented(keys?.differences ?? [])}`;
}

function jsonOf({ outcomes, keys, elapsedMs }: CopyReport): string {
  const loadTests = outcomes.map(({ loadTest: { id }, result }) => ({
    id,
    ...("copied" in result ? result.copied : result),
  }));
  return `${JSON.stringify({ loadTests, keys, elapsedMs })}\n`;
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
