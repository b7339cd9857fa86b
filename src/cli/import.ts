import path from "node:path";
import type { ImportReport } from "../model/import-report.ts";
import { checkLoadTestId } from "../operations/load-test-id.ts";
import { checkLoadTestName, loadTestNameAfter } from "../operations/load-test-name.ts";
import { type DecodeFlags, decodeOptionsOf } from "./decode-options.ts";
import { EXIT } from "./exit-codes.ts";
import { type FileToImport, followFile, importFile } from "./import-file.ts";
import { openTarget, type TargetOptions } from "./opened-target.ts";
import { printable } from "./printable.ts";
import { createReportWriter } from "./report-writer.ts";
import type { Shell } from "./shell.ts";

export interface ImportOptions extends TargetOptions, DecodeFlags {
  readonly id?: string;
  readonly name?: string;
  readonly format?: string;
  readonly json?: true;
  readonly follow?: true;
  readonly stillSeconds: number;
  readonly strict?: true;
  readonly threads?: number;
}

/**
 * Imports files into one load test, one after the other, or follows them all at once. A file that
 * cannot be read does not keep the others out. Answers the exit code of the worst of them.
 */
export async function importCommand(
  given: readonly string[],
  options: ImportOptions,
  shell: Shell,
): Promise<number> {
  const id = options.id === undefined ? shell.createLoadTestId() : checkLoadTestId(options.id);
  const decodeOptions = decodeOptionsOf(options, shell.timeZone);
  const name = options.name === undefined ? undefined : checkLoadTestName(options.name);
  const isLive = options.follow === true;
  const files = isLive ? distinct(given) : given;
  await using opened = await openTarget(options, isLive, shell);
  const reports = createReportWriter(files.length, options.json === true, shell);
  let isIncomplete = false;
  const report = async (outcome: ImportReport): Promise<void> => {
    isIncomplete ||= lacksRows(outcome, options);
    await reports.write(outcome);
  };
  const { format, threads } = options;
  const about = { target: opened.target, format, threads, decodeOptions, report };
  try {
    // The first file that can be read makes the load test, and names it.
    const wishes = files.map((file) => {
      return { ...about, file, loadTest: { id, name: name ?? nameOf(file, id) } };
    });
    const refusals = isLive
      ? await followAll(wishes, options.stillSeconds, shell)
      : await importAll(wishes, shell);
    const refusal = refusals.find((code) => code !== undefined);
    if (!(await opened.settle())) return EXIT.failed;
    return refusal ?? (isIncomplete ? EXIT.incomplete : EXIT.done);
  } finally {
    await reports.end();
  }
}

async function importAll(
  wishes: readonly FileToImport[],
  shell: Shell,
): Promise<(number | undefined)[]> {
  const refusals = [];
  for (const wish of wishes) refusals.push(await importFile(wish, shell));
  return refusals;
}

/** Each to its end, even where another one fails. */
async function followAll(
  wishes: readonly FileToImport[],
  stillSeconds: number,
  shell: Shell,
): Promise<(number | undefined)[]> {
  const following = wishes.map((wish) => followFile(wish, stillSeconds, shell));
  await Promise.allSettled(following);
  return Promise.all(following);
}

/** Two that follow the same file would both begin it, and each of its rows would count twice. */
function distinct(files: readonly string[]): readonly string[] {
  return [...new Map(files.map((file) => [path.resolve(file), file])).values()];
}

function nameOf(file: string, id: string): string {
  return file === "-" ? id : loadTestNameAfter(printable(path.basename(file)), id);
}

function lacksRows(report: ImportReport, { strict }: ImportOptions): boolean {
  return report.cut !== undefined || (strict === true && report.samples.rejected > 0);
}
